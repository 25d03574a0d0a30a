// From the report's charts to what Chart.js takes.
bakeoff.configurations = (() => {
  const { colour, hatched, all } = bakeoff.plugins;
  const { full, middle, range: bounds, tick } = bakeoff.formats;
  const POINTS = { circle: "circle", triangle: "triangle", square: "rect", diamond: "rectRot", down: "triangle" };
  const NARROW = 560;
  const LETTER = 6.5;
  const MANY_POINTS = 24;
  const FEWEST_TICKS = 3;

  // Names take two fifths of a chart at most. They differ at either end, so the middle is left out.
  function shorten(words, width) {
    const most = Math.min(40, Math.max(12, Math.floor((0.4 * width) / LETTER)));
    if (words.length <= most) return words;
    const tail = Math.floor((most - 1) / 2);
    return `${words.slice(0, most - 1 - tail)}…${words.slice(-tail)}`;
  }

  function look(styles, series, points) {
    const style = styles[series.style];
    const line = colour(`series-${style.colour}`) + (series.faded ? "66" : "");
    return {
      label: series.name,
      identity: series.identity,
      borderColor: line,
      borderDash: series.drawn === "curve" ? [] : style.dash,
      showLine: series.drawn !== "points",
      borderWidth: 2,
      backgroundColor: line,
      pointBackgroundColor: style.hollow ? colour("background") : line,
      pointBorderColor: line,
      pointBorderWidth: 2,
      pointStyle: POINTS[style.shape],
      pointRotation: style.shape === "down" ? 180 : 0,
      pointRadius: series.drawn === "curve" ? 0 : points > MANY_POINTS ? sparse(series.style) : 4,
      pointHoverRadius: series.drawn === "curve" ? 0 : 6,
      pointHitRadius: 8,
    };
  }

  // Of a long line only some points are drawn, at other places for each line, so that they stay apart in print.
  function sparse(offset) {
    return ({ dataIndex }) => ((dataIndex + 5 * offset) % 12 === 6 ? 3.5 : 0);
  }

  function scale(axis, extra) {
    const given = axis.ticks && ((own) => axis.ticks.map(([value, words]) => ({ value, words })).filter(({ value }) => value >= own.min && value <= own.max));
    const logarithmic = axis.scale === "log" && ((own) => logTicks(own.min, own.max).map((value) => ({ value })));
    const chosen = given || logarithmic;
    return {
      type: axis.scale === "log" ? "logarithmic" : "linear",
      title: { display: axis.label !== "", text: axis.label, color: colour("muted"), font: { size: 12 } },
      grid: { color: colour("grid") },
      border: { color: colour("grid") },
      ticks: {
        color: colour("muted"),
        font: { size: 12 },
        autoSkip: !logarithmic || Boolean(given),
        autoSkipPadding: 10,
        maxRotation: 0,
        callback(value, place, ticks) {
          const narrow = axis.format === "count" && this.chart.width < NARROW && value >= 1000;
          return (!narrow && ticks[place]?.words) || tick(axis.format, value, narrow ? Infinity : this.max);
        },
      },
      ...(chosen && { afterBuildTicks: (own) => { own.ticks = chosen(own); } }),
      ...extra,
    };
  }

  // Of a long scale the decades; of a shorter one 1, 2 and 5 of each; even steps where that leaves hardly any.
  function logTicks(least, most) {
    const decades = Math.log10(most / least);
    const digits = decades > 3.2 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power += 1) {
      for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
    }
    const fitting = ticks.filter((value) => value >= least * 0.999 && value <= most * 1.001);
    return fitting.length < FEWEST_TICKS ? evenTicks(least, most) : fitting;
  }

  function evenTicks(least, most) {
    const rough = (most - least) / 5;
    const size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((digit) => digit * size).find((each) => each >= rough);
    const ticks = [];
    for (let value = Math.ceil(least / step) * step; value <= most; value += step) ticks.push(Number(value.toPrecision(6)));
    return ticks;
  }

  function tooltip(words) {
    return {
      backgroundColor: colour("text"),
      titleColor: colour("background"),
      bodyColor: colour("background"),
      footerColor: colour("background"),
      padding: 10,
      usePointStyle: true,
      boxPadding: 4,
      callbacks: words,
    };
  }

  function range(format, point) {
    const words = bounds(format, point);
    return words && ` (${words})`;
  }

  function options(chart, specifics) {
    return {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      bakeoff: { kind: chart.kind, marks: chart.marks, references: chart.references },
      layout: { padding: { top: 10, right: 14 } },
      ...specifics,
      plugins: { legend: { display: false }, ...specifics.plugins },
    };
  }

  function lines(chart, styles) {
    const reached = [...chart.references.map((each) => each.value), ...chart.series.flatMap(({ points }) => points.map((point) => point[3] ?? point[1] ?? 0))];
    const highest = reached.reduce((most, value) => Math.max(most, value), 0);
    const datasets = chart.series.map((series) => ({
      ...look(styles, series, series.points.length),
      data: series.points.map(([x, y, low, high]) => ({ x, y, low, high })),
    }));
    const said = (item) => chart.marks.filter((mark) => mark.identity === item.dataset.identity && mark.x === item.raw.x);
    return {
      type: "line",
      data: { datasets },
      options: options(chart, {
        interaction: { mode: "nearest", axis: "x", intersect: false },
        scales: {
          x: scale(chart.x, {
            offset: Boolean(chart.x.ticks) && chart.x.scale === "linear",
          }),
          y: scale(chart.y, { beginAtZero: chart.y.scale === "linear", suggestedMax: highest * 1.03 || undefined }),
        },
        plugins: {
          tooltip: tooltip({
            title: (items) => (items.length ? heading(chart.x, items[0].raw.x) : ""),
            label: (item) => ` ${item.dataset.label}: ${full(chart.y.format, item.raw.y)}${range(chart.y.format, item.raw)}`,
            footer: (items) => items.flatMap(said).map((mark) => mark.words),
          }),
        },
      }),
      plugins: all,
    };
  }

  function heading(axis, value) {
    const given = (axis.ticks || []).find(([at]) => at === value);
    const words = given && axis.format !== "nines" ? given[1] : full(axis.format, value);
    return axis.format === "nines" || axis.format === "seconds" ? words : `${words} ${axis.label}`;
  }

  function rowNames(names) {
    return {
      color: colour("text"),
      font: { size: 12 },
      autoSkip: false,
      callback(value) {
        return shorten(names[value] || "", this.chart.width);
      },
    };
  }

  // Names may repeat, so rows are numbers.
  function rows(names) {
    return {
      type: "linear",
      min: -0.5,
      max: names.length - 0.5,
      reverse: true,
      grid: { display: false },
      border: { display: false },
      ticks: rowNames(names),
      afterBuildTicks(own) {
        own.ticks = names.map((_, value) => ({ value }));
      },
    };
  }

  function dots(chart, styles, hidden) {
    const shown = chart.series.filter((series) => !hidden.has(series.identity));
    const names = shown.map((series) => series.name);
    const datasets = shown.map((series, place) => ({
      ...look(styles, series, 1),
      pointRadius: 5,
      showLine: false,
      data: series.points.map(([x, low, high]) => ({ x, y: place, low, high })),
    }));
    const values = [...shown.flatMap(({ points }) => points.flat()), ...chart.references.map((each) => each.value)].filter((value) => value != null);
    const log = chart.x.scale === "log";
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return {
      type: "line",
      data: { datasets },
      options: options(chart, {
        interaction: { mode: "nearest", axis: "y", intersect: false },
        scales: {
          x: scale(chart.x, log ? { min: least / 1.15, max: most * 1.15 } : { beginAtZero: true, suggestedMax: most * 1.04 }),
          y: rows(names),
        },
        plugins: {
          tooltip: tooltip({
            title: () => "",
            label: (item) => ` ${item.dataset.label}: ${middle(chart.x.format, item.raw.x, item.raw)}${range(chart.x.format, item.raw)}`,
          }),
        },
      }),
      plugins: all,
    };
  }

  function bars(chart, _styles, hidden) {
    const places = chart.rows.map((_, place) => place).filter((place) => !hidden.has(chart.rows[place].identity));
    const datasets = chart.stacks.map((stack) => ({
      label: stack.name,
      data: places.map((place) => stack.values[place]),
      backgroundColor: hatched(stack.style),
      borderColor: colour("text"),
      borderWidth: 0.75,
      borderSkipped: false,
      maxBarThickness: 26,
    }));
    const sum = (place) => chart.stacks.reduce((whole, stack) => whole + (stack.values[places[place]] || 0), 0);
    return {
      type: "bar",
      data: { labels: places.map((place) => chart.rows[place].name), datasets },
      options: options(chart, {
        indexAxis: "y",
        interaction: { mode: "index", axis: "y", intersect: false },
        scales: {
          x: { ...scale(chart.x, { beginAtZero: true }), stacked: true },
          y: {
            stacked: true,
            grid: { display: false },
            border: { display: false },
            ticks: rowNames(places.map((place) => chart.rows[place].name)),
          },
        },
        plugins: {
          tooltip: tooltip({
            label: (item) => ` ${item.dataset.label}: ${item.raw == null ? "–" : full(chart.x.format, item.raw)}`,
            footer: (items) => (items.length ? `together: ${full(chart.x.format, sum(items[0].dataIndex))}` : ""),
          }),
        },
      }),
      plugins: all,
    };
  }

  const kinds = { lines, dots, bars };

  return (chart, styles, hidden) => kinds[chart.kind](chart, styles, hidden);
})();

// Actions of a reader: choose targets and group, step through points, list figures, save pictures, switch light and dark.
(() => {
  const { charts, styles } = JSON.parse(document.getElementById("report").textContent);
  const { full, bound, middle } = bakeoff.formats;
  const hidden = new Set();
  const groups = document.getElementById("group");
  const chips = [...document.querySelectorAll("[data-identity]")];
  const filters = document.querySelector(".filters");
  const selects = [...document.querySelectorAll("select[data-label]")];
  const places = [...document.querySelectorAll("figure[data-slot]")].map(place);

  function place(figure) {
    const found = {
      figure,
      canvas: figure.querySelector("canvas"),
      variants: figure.querySelector("[data-variants]"),
      listed: figure.querySelector("[data-figures]"),
      table: figure.querySelector("[data-table]"),
      drawn: null,
      chart: null,
    };
    found.variants?.addEventListener("change", () => draw(found));
    found.listed.addEventListener("click", () => toggleFigures(found));
    figure.querySelector("[data-save]").addEventListener("click", () => save(found));
    found.canvas.addEventListener("keydown", (event) => step(found, event));
    return found;
  }

  function chosen({ figure, variants }) {
    const own = charts.filter((chart) => chart.slot === figure.dataset.slot);
    const fitting = own.filter((chart) => chart.group === null || !groups || chart.group === groups.value);
    return fitting.find((chart) => !variants || chart.variant === variants.value) || fitting.find((chart) => chart.preferred) || fitting[0];
  }

  function draw(found) {
    found.drawn?.destroy();
    found.chart = chosen(found);
    found.figure.hidden = !found.chart;
    if (!found.chart || found.figure.closest("details:not([open])")) return;
    const { chart, figure } = found;
    figure.querySelector("strong").textContent = chart.title;
    found.canvas.setAttribute("aria-label", `${chart.title}. Arrow keys step through the points; the button Figures lists them.`);
    found.table.setAttribute("aria-label", `Figures of ${chart.title}`);
    const beyond = chart.beyond.length ? ` Off the chart: ${chart.beyond.join("; ")}.` : "";
    figure.querySelector("[data-note]").textContent = chart.note + beyond;
    if (chart.kind !== "lines") fitRows(found);
    found.drawn = new Chart(found.canvas, bakeoff.configurations(chart, styles, hidden));
    if (chart.kind === "lines") hideLines(found);
    if (!found.table.hidden) found.table.replaceChildren(figures(chart));
  }

  // A chart of rows is as high as its rows.
  function fitRows({ chart, canvas }) {
    const rows = (chart.kind === "dots" ? chart.series : chart.rows).filter((each) => !hidden.has(each.identity));
    canvas.parentElement.style.height = `${90 + 36 * Math.max(1, rows.length)}px`;
  }

  function hideLines({ drawn }) {
    drawn.data.datasets.forEach((dataset, number) => drawn.setDatasetVisibility(number, !hidden.has(dataset.identity)));
    drawn.update();
  }

  function toggle(identity) {
    if (!hidden.delete(identity)) hidden.add(identity);
    showChosen();
  }

  function showChosen() {
    for (const button of chips) button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.identity)));
    for (const row of document.querySelectorAll("tr[data-contender]")) {
      row.classList.toggle("hidden-contender", hidden.has(row.dataset.contender));
    }
    places.filter(({ chart }) => chart).forEach((found) => (found.chart.kind === "lines" ? hideLines(found) : draw(found)));
    if (filters) filters.querySelector("output").textContent = `${chips.length - hidden.size} of ${chips.length} shown`;
  }

  // Shows what has every label that is chosen, and leaves the rows of all else out of the table of stacks.
  function filter() {
    const wanted = selects.filter((select) => select.value);
    hidden.clear();
    for (const row of document.querySelectorAll("tr[data-labels]")) {
      const labels = JSON.parse(row.dataset.labels);
      row.hidden = !wanted.every((select) => labels[select.dataset.label] === select.value);
      if (row.hidden) hidden.add(row.dataset.contender);
    }
    showChosen();
  }

  // Arrow keys show what hovering shows.
  function step(found, event) {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const { drawn, chart } = found;
    if (!drawn || (!way && event.key !== "Escape")) return;
    event.preventDefault();
    const visible = drawn.data.datasets.map((_, number) => number).filter((number) => drawn.isDatasetVisible(number));
    const length = chart.kind === "dots" ? visible.length : Math.max(0, ...visible.map((number) => drawn.data.datasets[number].data.length));
    if (!way || !length) {
      found.at = undefined;
      drawn.setActiveElements([]);
      drawn.tooltip.setActiveElements([], { x: 0, y: 0 });
    } else {
      found.at = ((found.at ?? (way > 0 ? -1 : 0)) + way + length) % length;
      const active = chart.kind === "dots"
        ? [{ datasetIndex: visible[found.at], index: 0 }]
        : visible.filter((number) => found.at < drawn.data.datasets[number].data.length).map((datasetIndex) => ({ datasetIndex, index: found.at }));
      drawn.setActiveElements(active);
      drawn.tooltip.setActiveElements(active, { x: 0, y: 0 });
    }
    drawn.update();
  }

  function toggleFigures({ listed, table, chart }) {
    table.hidden = !table.hidden;
    listed.setAttribute("aria-expanded", String(!table.hidden));
    table.replaceChildren(...(table.hidden ? [] : [figures(chart)]));
  }

  function figures(chart) {
    const table = document.createElement("table");
    const body = table.createTBody();
    if (chart.kind === "bars") {
      head(table, ["", ...chart.stacks.map((stack) => stack.name)]);
      chart.rows.forEach((row, number) => add(body, [row.name, ...chart.stacks.map((stack) => written(chart.x.format, stack.values[number]))]));
    } else if (chart.kind === "dots") {
      head(table, ["", "median", "from", "to"]);
      chart.series.forEach(({ name, points: [[x, low, high]] }) =>
        add(body, [name, middle(chart.x.format, x, { low, high }), ...[low, high].map((value) => (value == null ? "–" : bound(chart.x.format, value)))]));
    } else {
      head(table, ["", chart.x.label, chart.y.label, "from", "to"]);
      chart.series.forEach((series) =>
        series.points.forEach(([x, y, low, high]) =>
          add(body, [series.name, heading(chart.x, x), ...[y, low, high].map((value) => written(chart.y.format, value))])));
    }
    return table;
  }

  function heading(axis, value) {
    const given = axis.format !== "nines" && (axis.ticks || []).find(([at]) => at === value);
    return given ? given[1] : full(axis.format, value);
  }

  function written(format, value) {
    return value == null ? "–" : full(format, value);
  }

  function head(table, words) {
    const row = table.createTHead().insertRow();
    for (const word of words) row.append(Object.assign(document.createElement("th"), { scope: "col", textContent: word || "Target" }));
  }

  function add(body, words) {
    const row = body.insertRow();
    const [name, ...values] = words;
    row.append(Object.assign(document.createElement("th"), { scope: "row", textContent: name }));
    for (const value of values) row.insertCell().textContent = value;
  }

  // On the page's background: a transparent picture is unreadable on a dark slide.
  function save({ canvas, chart }) {
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [canvas.width, canvas.height];
    const context = picture.getContext("2d");
    context.fillStyle = bakeoff.plugins.colour("background");
    context.fillRect(0, 0, picture.width, picture.height);
    context.drawImage(canvas, 0, 0);
    Object.assign(document.createElement("a"), { href: picture.toDataURL("image/png"), download: `${chart.id}.png` }).click();
  }

  function darkNow() {
    const wish = document.documentElement.dataset.theme;
    return wish ? wish === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function themed() {
    theme.textContent = darkNow() ? "Light" : "Dark";
    places.forEach(draw);
  }

  // Tables of the chosen group; on paper those of all.
  function showTables(all) {
    for (const part of document.querySelectorAll("[data-group]")) {
      part.hidden = !all && Boolean(groups) && part.dataset.group !== groups.value;
    }
  }

  function chooseGroup() {
    showTables(false);
    places.forEach(draw);
  }

  // A link to what is folded or belongs to another group shows it.
  function unfold() {
    const wanted = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!wanted) return;
    for (let folded = wanted.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
    const part = wanted.closest("[data-group]");
    if (part && part.hidden) {
      groups.value = part.dataset.group;
      chooseGroup();
    }
    wanted.scrollIntoView();
  }

  const theme = document.getElementById("theme");
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = darkNow() ? "light" : "dark";
    themed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themed);
  for (const button of chips) button.addEventListener("click", () => toggle(button.dataset.identity));
  for (const select of selects) select.addEventListener("change", filter);
  if (filters) filters.hidden = false;
  groups?.addEventListener("change", chooseGroup);
  const parts = [...document.querySelectorAll("details.part")];
  for (const part of parts) {
    part.addEventListener("toggle", () => {
      places.filter(({ figure }) => part.contains(figure)).forEach(draw);
      named();
    });
  }
  const unfolds = document.getElementById("unfold");
  const named = () => { unfolds.textContent = parts.every((part) => part.open) ? "Fold" : "Unfold all"; };
  unfolds.addEventListener("click", () => {
    const open = !parts.every((part) => part.open);
    for (const part of parts) part.open = open;
  });
  addEventListener("hashchange", unfold);

  let before;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    showTables(true);
    places.forEach(draw);
  });
  addEventListener("afterprint", () => {
    if (before) document.documentElement.dataset.theme = before;
    else delete document.documentElement.dataset.theme;
    showTables(false);
    places.forEach(draw);
  });

  showTables(false);
  themed();
  unfold();
})();

// Shapes that Chart.js does not draw by itself: whiskers, marks, reference lines, phases, hatched bars.
bakeoff.plugins = (() => {
  const FONT = "12px system-ui, sans-serif";

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  function line(context, ...points) {
    context.beginPath();
    points.forEach(([x, y], place) => (place ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
  }

  function label(context, words, x, y, align) {
    context.font = FONT;
    context.textAlign = align;
    context.textBaseline = "bottom";
    // A halo keeps the words readable over lines.
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = colour("background");
    context.setLineDash([]);
    // On a narrow page long words are set closer rather than cut off.
    const room = align === "right" ? x : context.canvas.clientWidth - x - 2;
    context.strokeText(words, x, y, room);
    context.fillStyle = colour("muted");
    context.fillText(words, x, y, room);
  }

  function inArea(chart, draw) {
    const { ctx, chartArea: area } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(area.left - 10, area.top - 10, area.width + 20, area.height + 20);
    ctx.clip();
    draw(ctx, area);
    ctx.restore();
  }

  // Intervals, along y of a line and along x of a dot. Without one bound it reaches to the edge, without a cap.
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart) {
      inArea(chart, (ctx, area) => {
        ctx.lineWidth = 1.5;
        chart.getSortedVisibleDatasetMetas().forEach((meta, number, shown) => {
          const dataset = chart.data.datasets[meta.index];
          ctx.strokeStyle = dataset.borderColor;
          meta.data.forEach((element, place) => {
            const { low, high } = dataset.data[place] ?? {}; // a gap in the series
            if (low == null && high == null) return;
            if (chart.options.bakeoff.kind === "dots") {
              const [left, right] = [low, high].map((value) => (value == null ? null : chart.scales.x.getPixelForValue(value)));
              line(ctx, [left ?? area.left, element.y], [right ?? area.right, element.y]);
              for (const x of [left, right].filter((each) => each != null)) line(ctx, [x, element.y - 5], [x, element.y + 5]);
            } else {
              const [bottom, top] = [low, high].map((value) => chart.scales.y.getPixelForValue(value));
              // A little aside, so that those of one load do not hide each other.
              const x = element.x + 3 * (number - (shown.length - 1) / 2);
              line(ctx, [x, bottom], [x, top]);
              for (const y of [bottom, top]) line(ctx, [x - 2, y], [x + 2, y]);
            }
          });
        });
      });
    },
  };

  // The maximum ringed, optimal parallelism squared, the breaking point crossed.
  const marks = {
    id: "marks",
    afterDatasetsDraw(chart) {
      const shown = new Set(chart.data.datasets.filter((_, place) => chart.isDatasetVisible(place)).map((each) => each.identity));
      inArea(chart, (ctx) => {
        ctx.lineWidth = 1.75;
        for (const mark of chart.options.bakeoff.marks) {
          if (!shown.has(mark.identity)) continue;
          const [x, y] = [chart.scales.x.getPixelForValue(mark.x), chart.scales.y.getPixelForValue(mark.y)];
          ctx.strokeStyle = mark.kind === "breaking" ? colour("danger") : colour("text");
          ctx.beginPath();
          if (mark.kind === "maximum") ctx.arc(x, y, 9, 0, 2 * Math.PI);
          if (mark.kind === "optimal") ctx.rect(x - 8, y - 8, 16, 16);
          ctx.stroke();
          if (mark.kind === "breaking") {
            line(ctx, [x - 8, y - 8], [x + 8, y + 8]);
            line(ctx, [x - 8, y + 8], [x + 8, y - 8]);
          }
        }
      });
    },
  };

  // Reference lines across the chart.
  const references = {
    id: "references",
    afterDatasetsDraw(chart) {
      const upright = chart.options.bakeoff.kind === "dots";
      const { ctx, chartArea: area, scales } = chart;
      ctx.save();
      chart.options.bakeoff.references.forEach(({ label: words, value }) => {
        const at = (upright ? scales.x : scales.y).getPixelForValue(value);
        ctx.strokeStyle = colour("muted");
        ctx.lineWidth = 1.25;
        ctx.setLineDash([3, 3]);
        if (upright) {
          line(ctx, [at, area.top], [at, area.bottom]);
          const nearRight = at > area.left + area.width / 2;
          label(ctx, words, nearRight ? at - 4 : at + 4, area.top + 14, nearRight ? "right" : "left");
        } else {
          line(ctx, [area.left, at], [area.right, at]);
          label(ctx, words, area.left + 6, at - 3, "left");
        }
      });
      ctx.restore();
    },
  };

  // A fill that differs in black and white too.
  function hatched(number) {
    const fill = colour(`role-${number}`);
    if (number !== 1) return fill;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const ctx = tile.getContext("2d");
    ctx.fillStyle = fill;
    ctx.fillRect(0, 0, 8, 8);
    ctx.strokeStyle = colour("background");
    ctx.lineWidth = 1.5;
    for (const shift of [-8, 0, 8]) line(ctx, [shift, 8], [shift + 8, 0]);
    return ctx.createPattern(tile, "repeat");
  }

  return { all: [whiskers, marks, references], colour, hatched };
})();

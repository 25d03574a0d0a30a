// How figures are written on charts, the same as in the page's tables.
window.bakeoff = window.bakeoff || {};

bakeoff.formats = (() => {
  const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

  function threeDigits(value) {
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size < 0.0995) return size >= 0.0001 ? value.toPrecision(2) : value.toExponential(1);
    if (size >= 99.95) return grouped.format(value);
    return value.toFixed(size >= 9.995 ? 1 : size >= 0.995 ? 2 : 3);
  }

  const rate = (value) => (Math.abs(value) >= 100 ? grouped.format(value) : threeDigits(value));
  const nines = (value) => (value <= 1 ? "minimum" : `p${Number((100 * (1 - 1 / value)).toPrecision(7))}`);

  // With the unit, for a tooltip or a table.
  const full = {
    rate: (value) => `${rate(value)}/s`,
    ms: (value) => `${threeDigits(value)} ms`,
    us: (value) => `${threeDigits(value)} µs`,
    mb: (value) => `${threeDigits(value)} MB`,
    percent: (value) => `${grouped.format(value)}%`,
    ratio: (value) => `${value.toFixed(2)}×`,
    seconds: (value) => `${Number(value.toFixed(1))} s`,
    count: (value) => grouped.format(value),
    derived: threeDigits,
    nines,
  };

  // Short, for the ticks of an axis whose title has the unit; thousands are written alike along all of it.
  function tick(format, value, highest) {
    if (format === "ratio") return `${Number(value.toPrecision(3))}×`;
    if (format === "percent") return `${grouped.format(value)}%`;
    if ((format === "rate" || format === "count") && highest >= 10000) {
      return value === 0 ? "0" : `${Number((value / 1000).toPrecision(4))}k`;
    }
    return Number(value.toPrecision(4)).toLocaleString("en-US");
  }

  return { full: (format, value) => full[format](value), tick };
})();

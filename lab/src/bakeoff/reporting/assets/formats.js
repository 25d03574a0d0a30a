// How figures are written on charts, the same as in the page's tables.
window.bakeoff = window.bakeoff || {};

bakeoff.formats = (() => {
  const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
  const tenths = new Intl.NumberFormat("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const MOST_PLACES = 9;

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
    ratio: (value, places = 2) => `${value < 9.995 ? value.toFixed(places) : tenths.format(value)}×`,
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

  // A bound of a ratio is written as 1.00 only where it is 1: it decides whether there is a difference.
  function bound(format, value) {
    let places = 2;
    while (format === "ratio" && value !== 1 && places < MOST_PLACES && Number(value.toFixed(places)) === 1) places += 1;
    return full[format](value, places < MOST_PLACES ? places : 2);
  }

  // A figure and its bounds, in words where there is one of them alone.
  function middle(format, value, { low, high }) {
    const differs = (low != null && low > 1) || (high != null && high < 1);
    return differs ? bound(format, value) : full[format](value);
  }

  function range(format, { low, high }) {
    if (low == null && high == null) return "";
    if (high == null) return `${bound(format, low)} or more`;
    return low == null ? `${bound(format, high)} or less` : `${bound(format, low)} to ${bound(format, high)}`;
  }

  return { full: (format, value) => full[format](value), bound, middle, range, tick };
})();

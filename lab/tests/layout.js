// Faults of a page's layout that a reader would see: what sticks out, is cut off, lies over other text or is torn apart.
() => {
  const faults = [];
  const fault = (kind, element, words) => {
    const place = element.id ? `#${element.id}` : [element.localName, ...element.classList].join(".");
    faults.push(`${kind}: ${place}: ${words.trim().slice(0, 60)}`);
  };
  const seen = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const forReadersAloud = (element) => element.closest(".visually-hidden, .skip") !== null;
  const ancestors = function* (element) {
    for (let each = element; each && each !== document.documentElement; each = each.parentElement) yield each;
  };
  const scrolls = (style) => /auto|scroll/.test(style.overflowX);
  const hides = (style) => /hidden|clip/.test(style.overflowX) || /hidden|clip/.test(style.overflowY);

  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) fault("wider than the window", document.body, `${document.documentElement.scrollWidth} of ${width}`);

  // On a wide screen nothing is scrolled aside; on a narrow one tables are.
  for (const box of width < 1400 ? [] : document.querySelectorAll(".scroll, .trend-box")) {
    if (seen(box) && box.scrollWidth > box.clientWidth + 1) fault("wider than its place", box, box.getAttribute("aria-label") ?? "");
  }

  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || /^(script|style|option|title)$/i.test(parent.localName)) continue;
    if (!seen(parent) || forReadersAloud(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    const chain = [...ancestors(parent)].map((element) => ({ element, style: getComputedStyle(element) }));
    if (chain.some(({ style }) => style.clipPath !== "none")) continue;
    texts.push({ node, parent, boxes, chain });
  }

  for (const { node, parent, boxes, chain } of texts) {
    // Only a box that scrolls may hold more than it shows.
    const frame = chain.find(({ style }) => scrolls(style) || hides(style));
    // A name that is too long for its button ends in an ellipsis, and its title holds the rest.
    if (frame?.style.textOverflow === "ellipsis" && frame.element.closest("[title]")) continue;
    const edge = frame && !scrolls(frame.style) ? frame.element.getBoundingClientRect() : null;
    const out = (box) => (edge ? box.right > edge.right + 1 || box.left < edge.left - 1 || box.bottom > edge.bottom + 4 : !frame && (box.right > width + 1 || box.left < -1));
    if (boxes.some(out)) fault("cut off", parent, node.data);
    // An option, such as --warm-up, stays in one line.
    for (const { 0: option, index } of node.data.matchAll(/--[a-z][a-z-]{1,24}/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + option.length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) fault("torn option", parent, option);
    }
    // A word in a table breaks where it has a sign to break after, or where it is longer than any column.
    if (!parent.closest("table")) continue;
    for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]{2,24}/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top)));
      if (tops.size > 1 && !/\S{25}/.test(node.data)) fault("torn word", parent, word);
    }
  }

  // Lines of text that lie over each other. What sticks to an edge while a reader scrolls lies over the rest on purpose.
  const fixed = ({ chain }) => chain.some(({ style }) => /sticky|fixed/.test(style.position) && style.zIndex !== "auto");
  const within = (box, { chain }) => {
    const frame = chain.find(({ style }) => scrolls(style))?.element.getBoundingClientRect();
    return !frame || (box.right <= frame.right + 1 && box.left >= frame.left - 1);
  };
  const lines = texts
    .filter((text) => !fixed(text))
    .flatMap((text) => text.boxes.filter((box) => within(box, text)).map((box) => ({ ...text, box })))
    .sort((one, other) => one.box.top - other.box.top);
  lines.forEach((line, place) => {
    for (let next = place + 1; next < lines.length && lines[next].box.top < line.box.bottom; next += 1) {
      const [one, other] = [line.box, lines[next].box];
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      if (line.node !== lines[next].node && wide > 2 && high > 0.4 * Math.min(one.height, other.height)) fault("overlap", line.parent, `${line.node.data.trim().slice(0, 25)} | ${lines[next].node.data.trim().slice(0, 25)}`);
    }
  });

  // Axes say what they count, or name what stands along them.
  for (const canvas of document.querySelectorAll("figure canvas")) {
    const chart = globalThis.Chart?.getChart(canvas);
    if (!chart || !seen(canvas)) continue;
    const slot = canvas.closest("figure").dataset.slot;
    for (const scale of Object.values(chart.scales)) {
      const title = scale.options.title;
      const named = scale.ticks.every(({ label }) => /\p{L}{2}/u.test(label));
      if (scale.options.display && !named && !(title.display && title.text)) fault("axis without title", canvas, `${slot} ${scale.id}`);
      const labels = scale.isHorizontal() ? [] : (scale._labelItems ?? []).flatMap(({ label, options }) => {
        canvas.getContext("2d").font = options.font?.string ?? scale._fontString ?? "";
        return [label].flat().filter((text) => options.translation[0] - (options.textAlign === "right" ? canvas.getContext("2d").measureText(text).width : 0) < -1);
      });
      if (labels.length) fault("cut off label", canvas, `${slot} ${scale.id} ${labels[0]}`);
    }
  }
  return [...new Set(faults)];
}

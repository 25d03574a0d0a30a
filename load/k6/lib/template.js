// Templates: compiled once to literals and slots, rendered for every event.

import { compileSlot } from './slots.js';

/** Renders one list of segments of the plan. */
export class Template {
  /**
   * @param {Array<string|object>} segments literals and slots, as the plan holds them
   * @param {string} run the plan's run
   * @param {number|null} sizeBytes what a pad grows the text to
   */
  constructor(segments, run, sizeBytes = null) {
    this.padAt = segments.findIndex((segment) => segment.slot === 'pad');
    this.padText = this.padAt < 0 ? '' : segments[this.padAt].text;
    this.parts = segments.map((segment, index) => {
      if (typeof segment === 'string') return segment;
      return index === this.padAt ? '' : compileSlot(segment, run);
    });
    const literalBytes = this.parts.reduce((sum, part) => sum + (typeof part === 'string' ? byteLength(part) : 0), 0);
    this.roomBytes = sizeBytes - literalBytes;
  }

  /** The text of an event; slots draw from `numbers` from left to right. */
  render(numbers, event) {
    const texts = this.parts.slice();
    let roomBytes = this.roomBytes;
    for (let i = 0; i < texts.length; i++) {
      if (typeof texts[i] === 'string') continue;
      texts[i] = texts[i](numbers, event);
      if (this.padAt >= 0) roomBytes -= byteLength(texts[i]);
    }
    if (this.padAt >= 0) texts[this.padAt] = this.padText.slice(0, Math.max(0, roomBytes));
    return texts.join('');
  }
}

/** Bytes of a text in UTF-8. */
function byteLength(text) {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair is two units and four bytes, so each half counts one byte more than its unit.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

// Keys: one kind's acknowledged keys of one virtual user, and the choice between a new one and an old one.

import { Template } from './template.js';

export class KeyKind {
  /** @param {object} definition a member of the plan's `keys` */
  constructor(definition, run) {
    this.format = new Template(definition.format, run);
    this.share = definition.reuse === null ? 0 : definition.reuse.share;
    this.pick = picker(definition.reuse);
    this.acknowledged = []; // the sequences that made them, in the order of acknowledgement
  }

  /**
   * The key of an event, whose two shares are already drawn.
   * @returns {{sequence: number, text: string}} the sequence that made the key, and its text
   */
  choose(user, sequence, reuseShare, pickShare) {
    const known = this.acknowledged;
    const reused = known.length > 0 && reuseShare < this.share;
    const madeBy = reused ? known[this.pick(pickShare, known.length)] : sequence;
    return { sequence: madeBy, text: this.format.render(null, { user, sequence: madeBy }) };
  }
}

function picker(reuse) {
  if (reuse === null || reuse.pick === 'uniform') return (share, count) => Math.floor(share * count);
  return (share, count) => zipf(share, count, reuse.s);
}

/** The oldest key is the hottest. */
function zipf(share, count, s) {
  const x = s === 1 ? Math.pow(count + 1, share) : Math.pow(1 + share * (Math.pow(count + 1, 1 - s) - 1), 1 / (1 - s));
  return Math.min(count - 1, Math.floor(x) - 1);
}

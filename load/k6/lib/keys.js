// Keys: one kind's acknowledged keys of one virtual user, and the choice between a new one and an old one.

import { Template } from './template.js';

const SHARED_USER = 9999999; // whose keys the shared ones are; it sends nothing

export class KeyKind {
  /** @param {object} definition a member of the plan's `keys` */
  constructor(definition, run) {
    this.format = new Template(definition.format, run);
    this.share = definition.reuse === null ? 0 : definition.reuse.share;
    this.shared = (definition.reuse && definition.reuse.shared) || 0;
    this.pick = picker(definition.reuse);
    this.acknowledged = []; // the sequences that made them, in the order of acknowledgement
  }

  /**
   * The key of an event, whose two shares are already drawn.
   * @returns {{sequence: number, shared: boolean|undefined, text: string}} the sequence that made the key, its text,
   *     and whether all users share it
   */
  choose(user, sequence, reuseShare, pickShare) {
    const known = this.acknowledged;
    const count = this.shared || known.length;
    if (count === 0 || reuseShare >= this.share) return this.key(user, sequence);
    const picked = this.pick(pickShare, count);
    return this.shared ? { ...this.key(SHARED_USER, picked), shared: true } : this.key(user, known[picked]);
  }

  key(user, sequence) {
    return { sequence, text: this.format.render(null, { user, sequence }) };
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

// Checks the content of replies, on a share of them.

/** Says for one reply after the other whether its content is checked: evenly spread, without drawing numbers. */
export class Sampler {
  constructor(share) {
    this.share = share;
    this.due = share > 0 ? 1 - share : 0; // the first reply is among those that are checked
  }

  next() {
    this.due += this.share;
    if (this.due < 1) return false;
    this.due -= 1;
    return true;
  }
}

/**
 * A check of replies, or null where there is nothing to check.
 * @param {Object<string, any>|undefined} expected JSON pointer → the value it must have
 * @returns {null|function(any): boolean}
 */
export function replyCheck(expected) {
  const rules = Object.entries(expected || {}).map(([pointer, value]) => ({
    path: pointer.split('/').slice(1).map(unescapeToken),
    text: JSON.stringify(value),
  }));
  if (rules.length === 0) return null;
  return (reply) => rules.every(({ path, text }) => JSON.stringify(valueAt(reply, path)) === text);
}

function unescapeToken(token) {
  return token.replace(/~1/g, '/').replace(/~0/g, '~');
}

function valueAt(document, path) {
  return path.reduce((value, token) => (value === null || value === undefined ? undefined : value[token]), document);
}

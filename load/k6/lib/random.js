// The generator of lab/src/bakeoff/formats/README.md: sfc32. Every engine draws the same numbers for an event.

const TWO_TO_32 = 4294967296;
const GOLDEN = 0x9e3779b9;
const DRAWS_THROWN_AWAY = 12;

/** The draws of one event after another: `begin` an event, then `draw` as often as its template asks. */
export class RandomNumbers {
  /** @param {string} seed 64 bits as 16 hexadecimal digits */
  constructor(seed) {
    this.low = parseInt(seed.slice(8), 16) | 0;
    this.high = (parseInt(seed.slice(0, 8), 16) ^ GOLDEN) | 0;
  }

  begin(user, sequence) {
    // Locals instead of twelve calls of draw(): k6 interprets this, and it runs for every event.
    let a = this.low;
    let b = user | 0;
    let c = sequence | 0;
    let d = this.high;
    for (let i = 0; i < DRAWS_THROWN_AWAY; i++) {
      const drawn = (a + b + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + drawn) | 0;
    }
    this.a = a;
    this.b = b;
    this.c = c;
    this.d = d;
  }

  /** The next number, 0 to 2³² - 1. */
  draw() {
    const b = this.b;
    const c = this.c;
    const drawn = (this.a + b + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = b ^ (b >>> 9);
    this.b = (c + (c << 3)) | 0;
    this.c = (((c << 21) | (c >>> 11)) + drawn) | 0;
    return drawn >>> 0;
  }

  /** The next number as a share, from 0 up to but not including 1. */
  share() {
    return this.draw() / TWO_TO_32;
  }

  /** The next number as a whole number from 0 to count - 1. */
  below(count) {
    return Math.floor((this.draw() / TWO_TO_32) * count);
  }
}

// The slots of the template language: each compiles to a function of (numbers, event) that returns text.

const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const DAY_MS = 86400000;

const COMPILERS = {
  uuid: () => uuid,
  integer: ({ min, max }) => {
    const count = max - min + 1;
    return (numbers) => String(min + numbers.below(count));
  },
  decimal,
  choice: ({ choices }) => (numbers) => choices[numbers.below(choices.length)],
  alphanumeric,
  date,
  timestamp: () => (_, event) => event.time,
  user: () => (_, event) => String(event.user),
  sequence: ({ modulo = 2 ** 32 }) => (_, event) => String(event.sequence % modulo),
  run: (_, run) => () => run,
  key: () => (_, event) => event.key.text,
  named,
  value: ({ name }) => (_, event) => event.values[name],
};

/** @returns {(numbers: RandomNumbers, event: object) => string} */
export function compileSlot(slot, run) {
  const compiler = COMPILERS[slot.slot];
  if (compiler === undefined) {
    throw new Error(`the k6 engine cannot render the slot "${slot.slot}"`);
  }
  return compiler(slot, run);
}

function named({ name, of }, run) {
  const render = compileSlot(of, run);
  return (numbers, event) => (event.values[name] = render(numbers, event));
}

function uuid(numbers) {
  const first = word(numbers.draw());
  const second = word((numbers.draw() & 0xffff0fff) | 0x4000);
  const third = word((numbers.draw() & 0x3fffffff) | 0x80000000);
  const fourth = word(numbers.draw());
  return `${first}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${fourth}`;
}

function word(bits) {
  return (bits >>> 0).toString(16).padStart(8, '0');
}

function decimal({ min, max, scale }) {
  const count = max - min + 1;
  return (numbers) => {
    let units = min + numbers.below(count);
    if (units % 10 === 0) {
      // A last digit of 0 would not survive a double: REST would store 1.50 and gRPC 1.5.
      units += units < max ? 1 : -1;
    }
    const digits = String(Math.abs(units)).padStart(scale + 1, '0');
    const point = digits.length - scale;
    return `${units < 0 ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
  };
}

function alphanumeric({ length }) {
  return (numbers) => {
    let text = '';
    for (let i = 0; i < length; i++) {
      text += LETTERS[numbers.draw() >>> 27]; // the upper five bits: below(32)
    }
    return text;
  };
}

function date({ from, to }) {
  const first = Date.UTC(from, 0, 1);
  const days = (Date.UTC(to + 1, 0, 1) - first) / DAY_MS;
  return (numbers) => new Date(first + numbers.below(days) * DAY_MS).toISOString().slice(0, 10);
}

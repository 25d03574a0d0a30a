// Events of one virtual user: which operation, which key, which message. event = f(seed, user, sequence).

import { KeyKind } from './keys.js';
import { RandomNumbers } from './random.js';
import { Template } from './template.js';

export class EventSource {
  /**
   * @param {object} plan lab/src/bakeoff/formats/plan.schema.json
   * @param {number} user number of the virtual user, from 0
   */
  constructor(plan, user) {
    this.planTimeMs = plan.base_time_ms;
    this.sequence = 0;
    this.actAs(user);
    this.numbers = new RandomNumbers(plan.seed);
    this.kinds = plan.keys.map((definition) => new KeyKind(definition, plan.run));
    this.operations = plan.operations.map((operation) => compileOperation(operation, plan));
    this.weights = plan.operations.reduce((sum, operation) => sum + operation.weight, 0);
  }

  /** From now on the events are this user's. */
  actAs(user) {
    this.user = user;
    this.baseTimeMs = this.planTimeMs + (user % 1000);
  }

  /** The user's next event: `{ sequence, operation, variant, key, message, path }`. */
  next() {
    const numbers = this.numbers;
    const event = { user: this.user, sequence: this.sequence, time: '', operation: 0, variant: 0, key: null, values: {} };
    this.sequence += 1;
    event.time = new Date(this.baseTimeMs + event.sequence * 1000).toISOString();
    numbers.begin(this.user, event.sequence);
    event.operation = this.pickOperation(numbers.below(this.weights));
    const operation = this.operations[event.operation];
    event.variant = numbers.below(operation.variants.length);
    const reuseShare = numbers.share();
    const pickShare = numbers.share();
    if (operation.key !== null) {
      event.key = this.kinds[operation.key].choose(this.user, event.sequence, reuseShare, pickShare);
    }
    event.message = operation.variants[event.variant].render(numbers, event);
    event.path = operation.path === null ? null : operation.path.render(numbers, event);
    return event;
  }

  /** The next `count` events, which one request carries. */
  take(count) {
    return Array.from({ length: count }, () => this.next());
  }

  /** Notes that the event was acknowledged: from now on its key can be reused. */
  acknowledge(event) {
    const madeAKey = event.key !== null && !event.key.shared && event.key.sequence === event.sequence;
    if (madeAKey) this.kinds[this.operations[event.operation].key].acknowledged.push(event.sequence);
  }

  pickOperation(drawn) {
    let index = 0;
    let reached = this.operations[0].weight;
    while (reached <= drawn) {
      index += 1;
      reached += this.operations[index].weight;
    }
    return index;
  }
}

function compileOperation({ weight, key, variants, http }, plan) {
  return {
    weight,
    key,
    variants: variants.map((segments) => new Template(segments, plan.run, plan.size_bytes)),
    path: http === null ? null : new Template(http.path, plan.run),
  };
}

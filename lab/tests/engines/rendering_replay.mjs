// Replays contract/vectors/rendering.json with the engine's own interpreter, under Node and in k6.

import { EventSource } from '../../../load/k6/lib/operations.js';

/** What differs between the vectors and the interpreter, in words; empty when nothing does. */
export function differences(vectors) {
  return vectors.cases.flatMap((vector) => [
    ...vector.events.flatMap((asked) => compare(vector.name, asked, renderedEvent(vector.plan, asked))),
    ...vector.requests.flatMap((asked) => compare(vector.name, asked, renderedBody(vector, asked))),
  ]);
}

function renderedEvent(plan, asked) {
  const { operation, variant, key, message, path } = source(plan, asked).next();
  const keyOfVector = key && { kind: plan.operations[operation].key, sequence: key.sequence, text: key.text, shared: key.shared };
  return { operation, variant, key: keyOfVector, message, path };
}

function renderedBody({ plan, batch }, asked) {
  const messages = source(plan, asked).take(asked.count).map((event) => event.message);
  return { body: batch.open + messages.join(batch.separator) + batch.close };
}

function source(plan, { user, sequence, acknowledged }) {
  const events = new EventSource(plan, user);
  events.sequence = sequence;
  Object.entries(acknowledged).forEach(([kind, sequences]) => (events.kinds[kind].acknowledged = sequences.slice()));
  return events;
}

function compare(name, asked, rendered) {
  return Object.keys(rendered)
    .filter((member) => JSON.stringify(rendered[member]) !== JSON.stringify(asked[member]))
    .map((member) => `${name}: ${member} is ${JSON.stringify(rendered[member])}, not ${JSON.stringify(asked[member])}`);
}

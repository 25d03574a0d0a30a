// Replays formats/vectors/rendering.json with the engine's own interpreter, under Node and in k6.

import { EventSource } from '../../../load/k6/lib/operations.js';

/** Differences between the vectors and the interpreter, in words; empty when there are none. */
export function differences(vectors) {
  return vectors.cases.flatMap((vector) => [
    ...vector.events.flatMap((requested) => compare(vector.name, requested, renderedEvent(vector.plan, requested))),
    ...vector.requests.flatMap((requested) => compare(vector.name, requested, renderedBody(vector, requested))),
  ]);
}

function renderedEvent(plan, requested) {
  const { operation, variant, key, message, path } = source(plan, requested).next();
  const keyOfVector = key && { kind: plan.operations[operation].key, sequence: key.sequence, text: key.text, shared: key.shared };
  return { operation, variant, key: keyOfVector, message, path };
}

function renderedBody({ plan, batch }, requested) {
  const messages = source(plan, requested).take(requested.count).map((event) => event.message);
  return { body: batch.open + messages.join(batch.separator) + batch.close };
}

function source(plan, { user, sequence, acknowledged }) {
  const events = new EventSource(plan, user);
  events.sequence = sequence;
  Object.entries(acknowledged).forEach(([kind, sequences]) => (events.kinds[kind].acknowledged = sequences.slice()));
  return events;
}

function compare(name, requested, rendered) {
  return Object.keys(rendered)
    .filter((member) => JSON.stringify(rendered[member]) !== JSON.stringify(requested[member]))
    .map((member) => `${name}: ${member} is ${JSON.stringify(rendered[member])}, not ${JSON.stringify(requested[member])}`);
}

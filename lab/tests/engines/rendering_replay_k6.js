import { differences } from './rendering_replay.mjs';

const vectors = JSON.parse(open(__ENV.VECTORS));

export default function () {
  const found = differences(vectors);
  if (found.length > 0) throw new Error(found.join('\n'));
  console.log(`${vectors.cases.length} cases agree`);
}

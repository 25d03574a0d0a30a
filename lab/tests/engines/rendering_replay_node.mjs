import { readFileSync } from 'node:fs';
import { differences } from './rendering_replay.mjs';

const found = differences(JSON.parse(readFileSync(process.argv[2], 'utf8')));
found.forEach((difference) => console.error(difference));
process.exitCode = found.length > 0 ? 1 : 0;

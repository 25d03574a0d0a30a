import { withEnvironment } from '../../../load/k6/config.js';

const [plan, env] = process.argv.slice(2).map((text) => JSON.parse(text));
console.log(JSON.stringify(withEnvironment(plan, env)));

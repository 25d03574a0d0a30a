// Loads an HTTP API as a plan says: k6 run -e BAKEOFF_PLAN=/absolute/path/plan.json rest-api-test.js

import { optionsFor, readPlan } from './config.js';
import { HttpTransport } from './lib/http.js';
import { virtualUser } from './lib/virtual_user.js';

const plan = readPlan(open);

export const options = optionsFor(plan);

export default virtualUser(plan, new HttpTransport(plan));

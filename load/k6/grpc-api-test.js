// Loads a gRPC API as a plan says: k6 run -e BAKEOFF_PLAN=/absolute/path/plan.json grpc-api-test.js

import { optionsFor, readPlan } from './config.js';
import { GrpcTransport, loadClient } from './lib/grpc.js';
import { virtualUser } from './lib/virtual_user.js';

const plan = readPlan(open);
const client = loadClient(plan, __ENV.BAKEOFF_DESCRIPTOR_SET);

export const options = optionsFor(plan);

export default virtualUser(plan, new GrpcTransport(plan, client));

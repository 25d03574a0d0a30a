// Turns a plan into the options of k6.

/**
 * The plan named by the environment: `k6 run -e BAKEOFF_PLAN=plan.json …`.
 * @param {function(string): string} open k6's own, which works only while a script is being loaded
 */
export function readPlan(open) {
  if (!__ENV.BAKEOFF_PLAN) throw new Error('name a plan: k6 run -e BAKEOFF_PLAN=/absolute/path/plan.json …');
  const plan = JSON.parse(open(__ENV.BAKEOFF_PLAN));
  // The engine's plan is the whole truth: variables such as PORT may be in its environment for other reasons.
  return __ENV.BAKEOFF_FIRST_PHASE === undefined ? withEnvironment(plan, __ENV) : plan;
}

const LEVELS = { full: [10, 50, 100, 200], saturation: [10, 50, 100, 200, 500, 1000, 2000] };

/**
 * The plan with the documented variables in place of what it says: HOST, PORT, TEST_MODE (smoke, full or saturation),
 * and for gRPC PROTO_FILE, and SERVICE and METHOD of every operation.
 */
export function withEnvironment(plan, env) {
  const transport = { ...plan.transport };
  if (env.HOST) transport.host = env.HOST;
  if (env.PORT) transport.port = Number(env.PORT);
  const phases = env.TEST_MODE ? phasesOf(env.TEST_MODE) : plan.phases;
  const operations = plan.operations.map((operation) => ({ ...operation, grpc: renamed(operation.grpc, env) }));
  const proto = env.PROTO_FILE ? { file: env.PROTO_FILE, import_path: folderOf(env.PROTO_FILE) } : plan.proto;
  return { ...plan, transport, phases, proto, operations };
}

function phasesOf(mode) {
  if (mode === 'smoke') return [{ name: 'Smoke', virtual_users: 10, duration_ms: 30000 }];
  if (!LEVELS[mode]) throw new Error(`TEST_MODE is "${mode}": use smoke, full or saturation`);
  return LEVELS[mode].map((users) => ({ name: `${users} users`, virtual_users: users, duration_ms: 120000 }));
}

function folderOf(file) {
  const end = file.lastIndexOf('/');
  return end < 0 ? '.' : file.slice(0, end) || '/';
}

function renamed(rules, { SERVICE, METHOD }) {
  if (!rules || !(SERVICE || METHOD)) return rules;
  const [service, method] = rules.method.split('/');
  return { ...rules, method: `${SERVICE || service}/${METHOD || method}` };
}

/** Options of k6 for a plan whose phases are all of one kind. */
export function optionsFor(plan) {
  const gracefulStop = `${plan.transport.timeout_ms + 1000}ms`; // a request in flight ends by itself
  return {
    scenarios: { load: { ...executorFor(plan.phases, gracefulStop), gracefulStop } },
    thresholds: thresholdsFor(plan),
    systemTags: ['error_code', 'name', 'status'], // each tag more costs k6 time on every row
    discardResponseBodies: true, // a request whose reply is checked asks for its body itself
    noConnectionReuse: false,
    noVUConnectionReuse: false,
    maxRedirects: 0,
    throw: true, // instead of a logged line for every failed request
    hosts: hostsOf(plan.transport),
  };
}

/** Host and port as requests name them: the certificate's name where there is one. */
export function authorityOf({ host, port, tls }) {
  return `${(tls && tls.server_name) || host}:${port}`;
}

/** The certificate's name is looked up here, and nowhere else. */
function hostsOf({ host, tls }) {
  return tls && tls.server_name && tls.server_name !== host ? { [tls.server_name]: host } : {};
}

function executorFor(phases, gracefulStop) {
  const [first] = phases;
  if (first.iterations !== undefined) return sharedIterations(first);
  return first.rate === undefined ? rampingUsers(phases, gracefulStop) : rampingRate(phases);
}

function sharedIterations({ virtual_users, iterations }) {
  const vus = Math.min(virtual_users, iterations); // k6 refuses users without an iteration
  return { executor: 'shared-iterations', vus, iterations, maxDuration: '24h' };
}

/** Levels are jumped to and held, in one scenario, so that users and connections live on from phase to phase. */
function rampingUsers(phases, gracefulRampDown) {
  const stages = heldStages(phases, (phase) => phase.virtual_users);
  return { executor: 'ramping-vus', startVUs: phases[0].virtual_users, stages, gracefulRampDown };
}

const RATE_UNIT_SECONDS = 1000; // k6 takes whole numbers only: 12.5 a second is 12,500 in 1,000 s

function rampingRate(phases) {
  const stages = heldStages(phases, rateTarget);
  const users = Math.max(...phases.map((phase) => phase.max_virtual_users));
  return {
    executor: 'ramping-arrival-rate',
    startRate: rateTarget(phases[0]),
    timeUnit: `${RATE_UNIT_SECONDS}s`,
    preAllocatedVUs: users,
    maxVUs: users,
    stages,
  };
}

function rateTarget(phase) {
  return Math.round(phase.rate * RATE_UNIT_SECONDS);
}

function heldStages(phases, targetOf) {
  return phases.flatMap((phase, index) => {
    const target = targetOf(phase);
    const hold = { duration: `${phase.duration_ms}ms`, target };
    return index === 0 ? [hold] : [{ duration: '0s', target }, hold];
  });
}

function thresholdsFor({ transport, thresholds }) {
  const protocol = transport.protocol;
  return {
    [`${protocol}_req_duration`]: [`p(95)<${thresholds.p95_ms}`, `p(99)<${thresholds.p99_ms}`],
    [`${protocol}_req_failed`]: [`rate<${thresholds.error_rate}`],
  };
}

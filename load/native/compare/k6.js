// One constant message over HTTP or gRPC, by users or by rate; writes its figures as JSON.

import http from 'k6/http';
import grpc from 'k6/net/grpc';

const { PROTOCOL, PORT, CONNECTIONS, SECONDS, RATE, TEXT, PROTO_FOLDER } = __ENV;
const users = Number(CONNECTIONS);
const duration = `${SECONDS}s`;
const client = new grpc.Client();
if (PROTOCOL === 'grpc') client.load([PROTO_FOLDER], 'echo.proto');
let connected = false;

const closed = { executor: 'constant-vus', vus: users, duration };
const open = { executor: 'constant-arrival-rate', rate: Number(RATE), duration, preAllocatedVUs: users, maxVUs: users };

export const options = {
  scenarios: { load: RATE ? open : closed },
  summaryTrendStats: ['p(50)', 'p(90)', 'p(99)', 'count'],
  discardResponseBodies: true,
};

const params = { headers: { 'content-type': 'application/json' } };
const body = JSON.stringify({ text: TEXT });

export default function () {
  if (PROTOCOL === 'http') {
    http.post(`http://127.0.0.1:${PORT}/`, body, params);
    return;
  }
  if (!connected) {
    client.connect(`127.0.0.1:${PORT}`, { plaintext: true });
    connected = true;
  }
  client.invoke('compare.Echo/Send', { text: TEXT }, { discardResponseMessage: true });
}

export function handleSummary({ metrics }) {
  const times = metrics[`${PROTOCOL}_req_duration`].values;
  return { stdout: JSON.stringify(times) };
}

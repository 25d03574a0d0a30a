// Metrics that k6 itself lacks. Rows of these are written only when something happened, but for the last one,
// which a threshold needs: k6 has no rate of failed gRPC requests.

import { Counter, Rate, Trend } from 'k6/metrics';

export const connectionsOpened = new Counter('connections_opened');
// Tagged with the call's name, as the requests are.
export const checkedReplies = new Counter('checked_replies');
export const malformedReplies = new Counter('malformed_replies');

// gRPC requests for which k6 writes no duration, in milliseconds: those without a connection, and those that timed out
// (k6 drops the sample of a call whose context has ended, most of the time).
export const unmeasuredFailures = new Trend('unmeasured_failures', true);

export const grpcRequestFailed = new Rate('grpc_req_failed');

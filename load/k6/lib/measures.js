// What k6 does not measure by itself. Rows of these are written only when something happened, but for the last one,
// which a threshold needs: k6 has no rate of failed gRPC requests.

import { Counter, Rate } from 'k6/metrics';

export const connectionsOpened = new Counter('connections_opened');
export const malformedReplies = new Counter('malformed_replies');
export const failedConnects = new Counter('failed_connects');
export const grpcRequestFailed = new Rate('grpc_req_failed');

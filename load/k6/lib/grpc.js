// Sends events over gRPC: one connection for each virtual user, made once and kept until the end.

import grpc from 'k6/net/grpc';
import { authorityOf } from '../config.js';
import { checkedReplies, connectionsOpened, grpcRequestFailed, malformedReplies, unmeasuredFailures } from './measures.js';
import { replyCheck } from './replies.js';

export class GrpcTransport {
  /**
   * @param {object} plan lab/src/bakeoff/formats/plan.schema.json
   * @param {grpc.Client} client knows the services of the plan already
   */
  constructor(plan, client) {
    this.client = client;
    this.connected = false;
    this.address = authorityOf(plan.transport);
    this.plaintext = !plan.transport.tls;
    this.timeoutMs = plan.transport.timeout_ms;
    this.batch = plan.transport.batch > 1 ? batchCall(plan) : null;
    this.calls = plan.operations.map((operation, index) => call(operation.grpc, String(index), plan));
  }

  send(events, wantsCheck) {
    const call = this.batch || this.calls[events[0].operation];
    if (!this.connected && !this.connect(call.params.tags)) return false;
    const checked = call.check !== null && wantsCheck();
    const reply = this.client.invoke(call.method, call.message(events), checked ? call.checkedParams : call.params);
    const expected = reply.status === call.expect;
    grpcRequestFailed.add(!expected);
    if (reply.status === grpc.StatusDeadlineExceeded) this.countTimeout(call.params.tags);
    if (!expected) return false;
    if (!checked) return true;
    checkedReplies.add(1, call.params.tags);
    if (call.check(reply.message)) return true;
    malformedReplies.add(1, call.params.tags);
    return false;
  }

  connect(tags) {
    try {
      this.client.connect(this.address, { plaintext: this.plaintext, timeout: this.timeoutMs });
    } catch (error) {
      const kind = connectErrorKind(String(error));
      grpcRequestFailed.add(true);
      if (kind === 'timeout') this.countTimeout(tags);
      else unmeasuredFailures.add(0, { ...tags, kind });
      return false;
    }
    connectionsOpened.add(1);
    this.connected = true;
    return true;
  }

  countTimeout(tags) {
    unmeasuredFailures.add(this.timeoutMs, { ...tags, kind: 'timeout' });
  }
}

/** A client that knows the services: from the descriptor set that the engine laid down, else from the .proto file. */
export function loadClient(plan, descriptorSetPath) {
  const client = new grpc.Client();
  if (descriptorSetPath) {
    client.loadProtoset(descriptorSetPath);
  } else {
    client.load([plan.proto.import_path], relativeTo(plan.proto.import_path, plan.proto.file));
  }
  return client;
}

/** k6 looks for a file below the import path, and only there. */
function relativeTo(folder, file) {
  const prefix = folder.endsWith('/') ? folder : `${folder}/`;
  return file.startsWith(prefix) ? file.slice(prefix.length) : file;
}

function connectErrorKind(message) {
  if (message.includes('connection refused')) return 'refused';
  if (message.includes('x509: ')) return 'certificate';
  if (message.includes('tls: ')) return 'tls';
  if (message.includes('connection reset')) return 'reset';
  if (message.includes('cannot assign requested address')) return 'ports_exhausted';
  if (message.includes('deadline exceeded') || message.includes('i/o timeout')) return 'timeout';
  return 'other';
}

function call(rules, name, plan) {
  const params = { tags: { name }, timeout: plan.transport.timeout_ms, metadata: plan.transport.headers || {} };
  return {
    method: rules.method,
    expect: statusCode(rules.expect),
    check: replyCheck(rules.reply),
    params: { ...params, discardResponseMessage: true },
    checkedParams: params,
    message: ([event]) => (event.message === '' ? {} : JSON.parse(event.message)),
  };
}

function batchCall(plan) {
  const { field } = plan.batch;
  const message = (events) => ({ [field]: events.map((event) => JSON.parse(event.message)) });
  return { ...call(plan.batch, 'batch', plan), message };
}

function statusCode(name) {
  const codes = { OK: grpc.StatusOK, CANCELLED: grpc.StatusCanceled };
  const words = name.split('_').map((word) => word[0] + word.slice(1).toLowerCase());
  const code = codes[name] === undefined ? grpc[`Status${words.join('')}`] : codes[name];
  if (code === undefined) throw new Error(`"${name}" is not a gRPC status`);
  return code;
}

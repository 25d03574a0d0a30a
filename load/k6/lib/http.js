// Sends events over HTTP. k6 keeps one connection for each virtual user, because nothing here closes it.

import http from 'k6/http';
import { authorityOf } from '../config.js';
import { checkedReplies, connectionsOpened, malformedReplies } from './measures.js';
import { replyCheck } from './replies.js';

export class HttpTransport {
  /** @param {object} plan lab/src/bakeoff/formats/plan.schema.json */
  constructor(plan) {
    this.origin = `${plan.transport.tls ? 'https' : 'http'}://${authorityOf(plan.transport)}`;
    this.batch = plan.transport.batch > 1 ? batchCall(plan) : null;
    this.calls = plan.operations.map((operation, index) => call(operation.http, String(index), plan));
  }

  send(events, wantsCheck) {
    const call = this.batch || this.calls[events[0].operation];
    const checked = call.check !== null && wantsCheck();
    const reply = this.request(call, events, checked ? call.checkedParams : call.params);
    if (reply === null || reply.status !== call.expect) return false;
    if (!checked) return true;
    checkedReplies.add(1, call.params.tags);
    if (isRight(reply, call.check)) return true;
    malformedReplies.add(1, call.params.tags);
    return false;
  }

  request(call, events, params) {
    const path = call.path === null ? events[0].path : call.path;
    let reply;
    try {
      reply = http.request(call.method, this.origin + path, call.body(events), params);
    } catch {
      return null; // k6 has counted the request and its error code before it threw
    }
    if (reply.timings.connecting > 0) connectionsOpened.add(1);
    return reply;
  }
}

function isRight(reply, check) {
  try {
    return check(reply.json());
  } catch {
    return false; // not JSON
  }
}

function call(rules, name, plan) {
  const params = parameters(rules, name, plan);
  return {
    method: rules.method,
    path: null,
    expect: rules.expect,
    check: replyCheck(rules.reply),
    params: { ...params, responseType: 'none' },
    checkedParams: { ...params, responseType: 'text' },
    body: ([event]) => event.message || null,
  };
}

function batchCall(plan) {
  const { open, separator, close, ...rules } = plan.batch;
  const headers = plan.operations[0].http.headers;
  const body = (events) => open + events.map((event) => event.message).join(separator) + close;
  return { ...call({ ...rules, headers }, 'batch', plan), path: rules.path, body };
}

function parameters(rules, name, plan) {
  return {
    headers: { ...plan.transport.headers, ...rules.headers }, // names are lower-case in both
    tags: { name },
    timeout: plan.transport.timeout_ms,
    redirects: 0,
    responseCallback: http.expectedStatuses(rules.expect),
  };
}

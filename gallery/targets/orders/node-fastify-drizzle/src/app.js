import { STATUS_CODES } from "node:http";
import { Ajv } from "ajv";
import Fastify from "fastify";
import { healthRoutes } from "./health.js";
import { orderRoutes } from "./orders.js";

// Texts become numbers in paths and queries alone: in JSON a number is a number.
const coercing = new Ajv({ coerceTypes: true, useDefaults: true });
const exact = new Ajv({ coerceTypes: false });

const MAX_BODY_BYTES = 65_536;
const READ_TIMEOUT_MS = 60_000;
// Node.js takes a request while earlier ones of its connection are not answered.
const MAX_REQUESTS_PER_CONNECTION = 250;

export function createApp(db) {
  const app = Fastify({
    logger: { level: "error" },
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: READ_TIMEOUT_MS,
    maxRequestsPerSocket: MAX_REQUESTS_PER_CONNECTION,
    // A path that cannot be decoded reaches no route.
    frameworkErrors: (error, _request, reply) => sendProblem(reply, error.statusCode, error.message),
  });
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === "body" ? exact : coercing).compile(schema));
  app.setErrorHandler((error, request, reply) => {
    // A text that is no id names nothing, as an id that nothing has.
    const status = error.validationContext === "params" ? 404 : (error.statusCode ?? 500);
    if (status >= 500) {
      request.log.error(error);
    }
    return sendProblem(reply, status, status < 500 ? error.message : "the request could not be processed");
  });
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, 404, "no such resource"));
  app.register(orderRoutes, { db });
  app.register(healthRoutes, { db });
  return app;
}

function sendProblem(reply, status, detail) {
  return reply
    .code(status)
    .type("application/problem+json")
    .send({ type: "about:blank", title: STATUS_CODES[status], status, detail });
}

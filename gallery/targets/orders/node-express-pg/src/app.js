import { STATUS_CODES } from "node:http";
import express from "express";
import { Problem } from "./problem.js";
import { change, listing, newOrder, pathId } from "./schemas.js";

export function createApp(store) {
  const app = express();
  app.disable("x-powered-by");
  app.use(express.json());

  app.post("/orders", async (request, response) => {
    const order = await store.create(valid(newOrder, request.body));
    response.status(201).location(`/orders/${order.id}`).json(order);
  });

  app.get("/orders", async (request, response) => {
    const wanted = valid(listing, request.query);
    const items = await store.list(wanted);
    response.json({ items, nextAfter: items.length === wanted.limit ? items.at(-1).id : null });
  });

  app.get("/orders/:id", async (request, response) => {
    response.json(await store.get(idOf(request)));
  });

  app.patch("/orders/:id", async (request, response) => {
    response.json(await store.update(idOf(request), valid(change, request.body)));
  });

  app.delete("/orders/:id", async (request, response) => {
    await store.remove(idOf(request));
    response.status(204).end();
  });

  app.get("/customers/:id/summary", async (request, response) => {
    response.json(await store.summarise(idOf(request)));
  });

  app.get("/healthz", async (_request, response) => {
    await store.ping();
    response.json({ status: "ok" });
  });

  app.use(() => {
    throw new Problem(404, "no such resource");
  });
  app.use(sendProblem);
  return app;
}

function valid(schema, value) {
  const result = schema.safeParse(value);
  if (!result.success) {
    const { path, message } = result.error.issues[0];
    throw new Problem(400, path.length ? `${path.join("/")}: ${message}` : message);
  }
  return result.data;
}

// A text that is no id names nothing, as an id that nothing has.
function idOf(request) {
  const result = pathId.safeParse(request.params.id);
  if (!result.success) {
    throw new Problem(404, "not found");
  }
  return result.data;
}

// Errors of Express and of its JSON parser have a status too, and say whether clients may read their message.
function sendProblem(error, request, response, next) {
  if (response.headersSent) {
    next(error);
    return;
  }
  const status = error.status ?? 500;
  if (status >= 500) {
    console.error(request.method, request.path, error);
  }
  const detail = error.expose ? error.message : "the request could not be processed";
  response
    .status(status)
    .type("application/problem+json")
    .json({ type: "about:blank", title: STATUS_CODES[status], status, detail });
}

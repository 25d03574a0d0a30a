import { STATUS_CODES } from "node:http";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { change, listing, newOrder, path } from "./schemas";
import type { OrderStore } from "./store";
import { validated } from "./validated";

export function createApp(store: OrderStore) {
  const app = new Hono();

  app.post("/orders", validated("json", newOrder, 400), async (c) => {
    const order = await store.create(c.req.valid("json"));
    c.header("Location", `/orders/${order.id}`);
    return c.json(order, 201);
  });

  app.get("/orders", validated("query", listing, 400), async (c) => {
    const wanted = c.req.valid("query");
    const items = await store.list(wanted);
    return c.json({ items, nextAfter: items.length === wanted.limit ? items.at(-1)?.id : null });
  });

  // A text that is no id names nothing, as an id that nothing has.
  app.get("/orders/:id", validated("param", path, 404), async (c) => {
    return c.json(await store.get(c.req.valid("param").id));
  });

  app.patch("/orders/:id", validated("param", path, 404), validated("json", change, 400), async (c) => {
    return c.json(await store.update(c.req.valid("param").id, c.req.valid("json")));
  });

  app.delete("/orders/:id", validated("param", path, 404), async (c) => {
    await store.remove(c.req.valid("param").id);
    return c.body(null, 204);
  });

  app.get("/customers/:id/summary", validated("param", path, 404), async (c) => {
    return c.json(await store.summarise(c.req.valid("param").id));
  });

  app.get("/healthz", async (c) => {
    await store.ping();
    return c.json({ status: "ok" });
  });

  app.notFound((c) => problem(c, 404, "no such resource"));
  app.onError((error, c) => {
    if (error instanceof HTTPException && error.status < 500) {
      return problem(c, error.status, error.message);
    }
    console.error(c.req.method, c.req.path, error);
    return problem(c, error instanceof HTTPException ? error.status : 500, "the request could not be processed");
  });
  return app;
}

function problem(c: Context, status: ContentfulStatusCode, detail: string) {
  const body = { type: "about:blank", title: STATUS_CODES[status], status, detail };
  return c.body(JSON.stringify(body), status, { "Content-Type": "application/problem+json" });
}

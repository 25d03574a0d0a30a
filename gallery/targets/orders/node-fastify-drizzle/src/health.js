import { setTimeout } from "node:timers/promises";
import createError from "@fastify/error";
import { sql } from "drizzle-orm";

const TIMEOUT_MS = 2_000;
const Unavailable = createError("ORDERS_DATABASE_UNAVAILABLE", "PostgreSQL does not answer", 503);

export async function healthRoutes(app, { db }) {
  app.get("/healthz", async () => {
    const late = setTimeout(TIMEOUT_MS, null, { ref: false }).then(() => {
      throw new Unavailable();
    });
    try {
      await Promise.race([db.execute(sql`SELECT 1`), late]);
    } catch (error) {
      throw new Unavailable({ cause: error });
    }
    return { status: "ok" };
  });
}

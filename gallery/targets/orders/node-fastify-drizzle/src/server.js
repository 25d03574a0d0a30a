import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { createApp } from "./app.js";
import * as schema from "./tables.js";

const DEFAULT_POOL_SIZE = 16;
const STOP_TIMEOUT_MS = 9_000;
const MAX_CONNECTIONS = 8_192;

export async function serve(workers) {
  const poolSize = Number(process.env.DB_POOL_SIZE || DEFAULT_POOL_SIZE);
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: Math.max(1, Math.floor(poolSize / workers)),
  });
  const app = createApp(drizzle({ client: pool, schema }));
  // The pool replaces a connection that breaks; without a listener the process would end.
  pool.on("error", (error) => app.log.error(error, "idle connection lost"));
  app.addHook("onClose", () => pool.end());

  let stopping = false;
  const stop = async () => {
    if (stopping) {
      return;
    }
    stopping = true;
    setTimeout(() => app.server.closeAllConnections(), STOP_TIMEOUT_MS).unref();
    await app.close();
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);

  app.server.maxConnections = MAX_CONNECTIONS;
  await app.listen({ port: Number(process.env.PORT || 8080), host: process.env.BIND || "127.0.0.1" });
}

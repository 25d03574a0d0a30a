import pg from "pg";
import { createApp } from "./app.js";
import { OrderStore } from "./store.js";

const DEFAULT_POOL_SIZE = 16;
const STOP_TIMEOUT_MS = 9_000;
const READ_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 8_192;
// Node.js takes a request while earlier ones of its connection are not answered.
const MAX_REQUESTS_PER_CONNECTION = 250;

// Ids and totals stay below 2^53: numbers hold them exactly.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function serve(workers) {
  const poolSize = Number(process.env.DB_POOL_SIZE || DEFAULT_POOL_SIZE);
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: Math.max(1, Math.floor(poolSize / workers)),
  });
  // The pool replaces a connection that breaks; without a listener the process would end.
  pool.on("error", (error) => console.error("idle connection lost:", error.message));

  const app = createApp(new OrderStore(pool));
  const port = Number(process.env.PORT || 8080);
  const server = app.listen(port, process.env.BIND || "127.0.0.1", (error) => {
    if (error) {
      throw error;
    }
  });
  server.requestTimeout = READ_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;

  let stopping = false;
  const stop = () => {
    if (stopping) {
      return;
    }
    stopping = true;
    server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
    setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS).unref();
    server.close(async () => {
      await pool.end();
      process.exit(0);
    });
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

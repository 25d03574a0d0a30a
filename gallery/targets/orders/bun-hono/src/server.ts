import { SQL } from "bun";
import { createApp } from "./app";
import { OrderStore } from "./store";

const DEFAULT_POOL_SIZE = 16;
const STOP_TIMEOUT_MS = 9_000;
const MAX_BODY_BYTES = 65_536;

const workers = Number(process.env.WORKERS || 1);
const poolSize = Number(process.env.DB_POOL_SIZE || DEFAULT_POOL_SIZE);
const sql = new SQL(process.env.DATABASE_URL ?? "", { max: Math.max(1, Math.floor(poolSize / workers)) });

const server = Bun.serve({
  hostname: process.env.BIND || "127.0.0.1",
  port: Number(process.env.PORT || 8080),
  reusePort: true,
  development: false,
  maxRequestBodySize: MAX_BODY_BYTES,
  fetch: createApp(new OrderStore(sql)).fetch,
});

let stopping = false;
async function stop() {
  if (stopping) {
    return;
  }
  stopping = true;
  setTimeout(() => server.stop(true), STOP_TIMEOUT_MS).unref();
  await server.stop();
  await sql.close();
  process.exit(0);
}

process.on("SIGTERM", stop);
process.on("SIGINT", stop);
process.on("disconnect", stop);

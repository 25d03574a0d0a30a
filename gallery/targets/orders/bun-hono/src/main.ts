// One process for each core, all of which listen on one port; this one starts them and passes signals on.
import { availableParallelism } from "node:os";

const workers = Number(process.env.WORKERS || availableParallelism());
let stopping = false;

const servers = Array.from({ length: workers }, () =>
  Bun.spawn([process.execPath, `${import.meta.dir}/server.ts`], {
    env: { ...process.env, WORKERS: String(workers) },
    stdio: ["ignore", "inherit", "inherit"],
    // A server ends when this channel does.
    ipc() {},
    onExit(server, code, signal) {
      if (!stopping) {
        console.error(`server ${server.pid} ended: ${signal ?? code}`);
        process.exit(1);
      }
    },
  }),
);

async function stop(signal: NodeJS.Signals) {
  stopping = true;
  for (const server of servers) {
    server.kill(signal);
  }
  await Promise.all(servers.map((server) => server.exited));
  process.exit(0);
}

process.on("SIGTERM", stop);
process.on("SIGINT", stop);

// One worker for each core; the primary starts them and passes signals on.
import cluster from "node:cluster";
import { availableParallelism } from "node:os";

if (cluster.isPrimary) {
  const workers = Number(process.env.WORKERS || availableParallelism());
  for (let started = 0; started < workers; started++) {
    cluster.fork({ WORKERS: workers });
  }
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) {
      worker?.kill(signal);
    }
  };
  process.on("SIGTERM", stop).on("SIGINT", stop);
  cluster.on("exit", (worker, code, signal) => {
    if (!stopping) {
      console.error(`worker ${worker.process.pid} ended: ${signal ?? code}`);
      process.exit(1);
    }
  });
} else {
  // The primary loads no framework.
  const { bootstrap } = await import("./bootstrap.js");
  await bootstrap();
}

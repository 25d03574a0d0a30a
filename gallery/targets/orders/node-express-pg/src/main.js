// One worker for each core; the primary starts them and passes signals on.
import cluster from "node:cluster";
import { availableParallelism } from "node:os";

const workers = Number(process.env.WORKERS || availableParallelism());

if (cluster.isPrimary) {
  for (let started = 0; started < workers; started++) {
    cluster.fork();
  }
  let stopping = false;
  const stop = (signal) => {
    stopping = true;
    for (const worker of Object.values(cluster.workers)) {
      worker.kill(signal);
    }
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  cluster.on("exit", (worker, code, signal) => {
    if (!stopping) {
      console.error(`worker ${worker.process.pid} ended: ${signal ?? code}`);
      process.exit(1);
    }
  });
} else {
  // The primary loads no framework.
  const { serve } = await import("./server.js");
  await serve(workers);
}

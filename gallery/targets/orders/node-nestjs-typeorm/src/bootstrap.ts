import { ValidationPipe } from "@nestjs/common";
import { HttpAdapterHost, NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";
import { ProblemFilter } from "./problem.filter.js";

const STOP_TIMEOUT_MS = 9_000;
const READ_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 8_192;
// Node.js takes a request while earlier ones of its connection are not answered.
const MAX_REQUESTS_PER_CONNECTION = 250;

export async function bootstrap() {
  const app = await NestFactory.create(AppModule, { logger: ["error", "fatal"] });
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidUnknownValues: true }));
  app.useGlobalFilters(new ProblemFilter(app.get(HttpAdapterHost)));
  app.enableShutdownHooks(["SIGTERM", "SIGINT"], { useProcessExit: true });
  app.getHttpServer().requestTimeout = READ_TIMEOUT_MS;
  app.getHttpServer().maxConnections = MAX_CONNECTIONS;
  app.getHttpServer().maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  const stop = () => setTimeout(() => app.getHttpServer().closeAllConnections(), STOP_TIMEOUT_MS).unref();
  process.on("SIGTERM", stop).on("SIGINT", stop);
  await app.listen(Number(process.env.PORT || 8080), process.env.BIND || "127.0.0.1");
}

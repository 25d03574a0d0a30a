import { STATUS_CODES } from "node:http";
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from "@nestjs/common";
import type { HttpAdapterHost } from "@nestjs/core";
import { EntityNotFoundError } from "typeorm";

@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(exception: unknown, host: ArgumentsHost) {
    const { httpAdapter } = this.adapterHost;
    const response = host.switchToHttp().getResponse();
    const status = exception instanceof EntityNotFoundError ? 404 : statusOf(exception);
    if (status >= 500) {
      this.logger.error(exception);
    }
    const detail = status < 500 ? messageOf(exception) : "the request could not be processed";
    httpAdapter.setHeader(response, "Content-Type", "application/problem+json");
    httpAdapter.reply(response, { type: "about:blank", title: STATUS_CODES[status], status, detail }, status);
  }
}

// The errors of Express and of its JSON parser have a status as well.
function statusOf(exception: unknown): number {
  if (exception instanceof HttpException) {
    return exception.getStatus();
  }
  return exception instanceof Error && "status" in exception ? Number(exception.status) : 500;
}

// Validation reports a list of messages.
function messageOf(exception: unknown) {
  const reply = exception instanceof HttpException ? exception.getResponse() : exception;
  const message = typeof reply === "object" && reply !== null && "message" in reply ? reply.message : reply;
  return Array.isArray(message) ? message.join("; ") : String(message);
}

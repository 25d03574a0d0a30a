package io.bakeoff.events.tunedrest;

import io.bakeoff.events.model.BulkReply;
import io.bakeoff.events.model.BulkReport;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import java.nio.charset.StandardCharsets;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** JSON replies; maps problems to statuses in one place. */
final class Replies {
    /** Seconds after which a client may try again. */
    private static final String RETRY_AFTER_SECONDS = "1";

    private static final byte[] STORED =
            ("{\"success\":true,\"message\":\"" + Stored.MESSAGE + "\"}").getBytes(StandardCharsets.UTF_8);

    private Replies() {}

    /** The reply to everything but bulks and health checks. */
    record Message(boolean success, String message) {}

    /** The reply to a health check. */
    record Health(boolean healthy, String message) {}

    static Mono<ServerResponse> of(Outcome outcome) {
        return outcome instanceof Problem problem ? of(problem) : stored();
    }

    static Mono<ServerResponse> of(BulkReply reply) {
        return reply instanceof BulkReport report ? json(HttpStatus.OK).bodyValue(report) : of((Problem) reply);
    }

    static Mono<ServerResponse> of(Problem problem) {
        ServerResponse.BodyBuilder reply = json(status(problem.kind()));
        switch (problem.kind()) {
            case EXHAUSTED ->
                reply.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS)
                        // The rest of the body is not read.
                        .header(HttpHeaders.CONNECTION, "close");
            case TOO_SLOW -> reply.header(HttpHeaders.CONNECTION, "close");
            case OVERLOADED, UNAVAILABLE -> reply.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
            case UNAUTHORIZED -> reply.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
            default -> {}
        }
        return reply.bodyValue(new Message(false, problem.message()));
    }

    static Mono<ServerResponse> health(boolean healthy) {
        return healthy
                ? json(HttpStatus.OK).bodyValue(new Health(true, "OK"))
                : json(HttpStatus.SERVICE_UNAVAILABLE).bodyValue(new Health(false, "database: unavailable"));
    }

    static Mono<ServerResponse> notFound() {
        return json(HttpStatus.NOT_FOUND).bodyValue(new Message(false, "path: not found"));
    }

    static Mono<ServerResponse> notAllowed(String allowed) {
        return json(HttpStatus.METHOD_NOT_ALLOWED)
                .header(HttpHeaders.ALLOW, allowed)
                .bodyValue(new Message(false, "method: not allowed"));
    }

    /** The reply is constant, so it is serialised once. */
    private static Mono<ServerResponse> stored() {
        return json(HttpStatus.OK)
                .contentLength(STORED.length)
                .body((response, context) ->
                        response.writeWith(Mono.just(response.bufferFactory().wrap(STORED))));
    }

    private static ServerResponse.BodyBuilder json(HttpStatus status) {
        return ServerResponse.status(status).contentType(MediaType.APPLICATION_JSON);
    }

    private static HttpStatus status(Problem.Kind kind) {
        return switch (kind) {
            case INVALID -> HttpStatus.BAD_REQUEST;
            case TOO_SLOW -> HttpStatus.REQUEST_TIMEOUT;
            case TOO_LARGE -> HttpStatus.CONTENT_TOO_LARGE;
            case UNSUPPORTED_MEDIA -> HttpStatus.UNSUPPORTED_MEDIA_TYPE;
            case UNAUTHORIZED -> HttpStatus.UNAUTHORIZED;
            case OVERLOADED -> HttpStatus.TOO_MANY_REQUESTS;
            case EXHAUSTED, UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
            case INTERNAL -> HttpStatus.INTERNAL_SERVER_ERROR;
        };
    }
}

package io.bakeoff.events.tunedrest;

import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Unexpected errors: details only in the log. */
@Component
@Order(-2) // before Spring's own
final class UnexpectedErrors implements WebExceptionHandler {
    private static final Logger log = LoggerFactory.getLogger(UnexpectedErrors.class);
    private static final byte[] BODY =
            "{\"success\":false,\"message\":\"internal error\"}".getBytes(StandardCharsets.UTF_8);

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable error) {
        ServerHttpResponse response = exchange.getResponse();
        if (!response.setStatusCode(HttpStatus.INTERNAL_SERVER_ERROR)) {
            // The reply has been started, usually to a client that has disconnected.
            return Mono.error(error);
        }
        log.error("a request failed", error);
        response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
        response.getHeaders().setContentLength(BODY.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(BODY)));
    }
}

package io.bakeoff.events.rest;

import io.bakeoff.events.rest.EventController.Reply;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;
import tools.jackson.databind.json.JsonMapper;

/** Replies to requests that a filter rejects, which never reach the controller and its {@link ErrorHandler}. */
@Component
@Order(-2) // before Spring Boot's
final class FilterErrors implements WebExceptionHandler {
    private final JsonMapper mapper;

    FilterErrors(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable error) {
        if (!(error instanceof ProblemException rejected)) {
            return Mono.error(error);
        }
        ResponseEntity<Reply> reply = ErrorHandler.reply(rejected.problem());
        ServerHttpResponse response = exchange.getResponse();
        response.setStatusCode(reply.getStatusCode());
        response.getHeaders().putAll(reply.getHeaders());
        response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
        byte[] body = mapper.writeValueAsBytes(reply.getBody());
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }
}

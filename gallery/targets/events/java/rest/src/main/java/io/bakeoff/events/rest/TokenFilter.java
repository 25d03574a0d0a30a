package io.bakeoff.events.rest;

import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Settings;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Requires the bearer token, if one is set, except for health checks. */
@Component
@Order(1)
final class TokenFilter implements WebFilter {
    private static final String HEALTH = "/api/v1/events/health";

    private final Settings settings;

    TokenFilter(Settings settings) {
        this.settings = settings;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        boolean permitted = exchange.getRequest().getPath().value().equals(HEALTH)
                || settings.authorization()
                        .permits(exchange.getRequest().getHeaders().getOrEmpty(HttpHeaders.AUTHORIZATION));
        return permitted ? chain.filter(exchange) : Mono.error(new ProblemException(Problem.UNAUTHORIZED));
    }
}

package io.bakeoff.events.tunedrest;

import static java.util.stream.Collectors.joining;

import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Authorization;
import io.bakeoff.events.settings.Settings;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Routes by a map: paths are few and have no variables. */
@Component
final class EventRoutes implements RouterFunction<ServerResponse> {
    private static final String HEALTH = "/api/v1/events/health";

    private final Map<String, Map<HttpMethod, HandlerFunction<ServerResponse>>> calls;

    private final Authorization authorization;

    EventRoutes(EventHandler handler, Settings settings) {
        authorization = settings.authorization();
        calls = Map.of(
                "/api/v1/events",
                Map.of(HttpMethod.POST, handler::processEvent),
                "/api/v1/events/bulk",
                Map.of(HttpMethod.POST, handler::processBulk),
                HEALTH,
                Map.of(HttpMethod.GET, handler::health, HttpMethod.HEAD, handler::health));
    }

    @Override
    public Mono<HandlerFunction<ServerResponse>> route(ServerRequest request) {
        return Mono.just(find(request));
    }

    private HandlerFunction<ServerResponse> find(ServerRequest request) {
        // The raw path: an encoded slash is not a separator.
        String path = request.requestPath().value();
        if (!path.equals(HEALTH) && !authorization.permits(request.headers().header(HttpHeaders.AUTHORIZATION))) {
            return unauthorized -> Replies.of(Problem.UNAUTHORIZED);
        }
        Map<HttpMethod, HandlerFunction<ServerResponse>> methods = calls.get(path);
        if (methods == null) {
            return unknown -> Replies.notFound();
        }
        HandlerFunction<ServerResponse> call = methods.get(request.method());
        return call != null ? call : other -> Replies.notAllowed(names(methods));
    }

    private static String names(Map<HttpMethod, ?> methods) {
        return methods.keySet().stream().map(HttpMethod::name).sorted().collect(joining(", "));
    }
}

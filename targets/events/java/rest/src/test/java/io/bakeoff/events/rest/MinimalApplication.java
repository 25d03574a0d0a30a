package io.bakeoff.events.rest;

import io.bakeoff.events.request.EventRequest;
import jakarta.validation.Valid;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * The least that the framework does for a request: bind, validate, reply. The target is compared with it, see
 * docs/lab-notes/java.md.
 */
@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
@RestController
class MinimalApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(MinimalApplication.class, arguments);
    }

    @PostMapping("/api/v1/events")
    Mono<EventController.Reply> processEvent(@Valid @RequestBody EventRequest request) {
        return Mono.just(new EventController.Reply(true, "Event processed successfully"));
    }
}

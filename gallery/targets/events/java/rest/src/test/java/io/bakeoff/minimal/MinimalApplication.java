package io.bakeoff.minimal;

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
 * The least that the framework does for a request: bind, validate, reply. The target, with a storage that discards rows,
 * is compared with it: {@code experiments/side-by-side/minimal-examples.toml}. In its own package: the target's
 * component scan must not find it.
 */
@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
@RestController
class MinimalApplication {
    /** Starts the example, or the target with the argument {@code target}. */
    public static void main(String[] arguments) {
        boolean target = arguments.length == 1 && arguments[0].equals("target");
        SpringApplication.run(target ? TargetWithoutStorage.class : MinimalApplication.class);
    }

    @PostMapping("/api/v1/events")
    Mono<Reply> processEvent(@Valid @RequestBody EventRequest request) {
        return Mono.just(new Reply(true, "Event processed successfully"));
    }

    record Reply(boolean success, String message) {}
}

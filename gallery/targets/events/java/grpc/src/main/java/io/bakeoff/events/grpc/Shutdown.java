package io.bakeoff.events.grpc;

import com.example.grpc.EventResponse;
import io.bakeoff.events.model.Problem;
import org.springframework.context.event.EventListener;
import org.springframework.grpc.server.lifecycle.GrpcServerShutdownEvent;
import org.springframework.stereotype.Component;
import reactor.core.Scannable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Reports that the server is about to stop, which streams must not delay. */
@Component
class Shutdown {
    private final Sinks.Empty<Void> started = Sinks.empty();

    @EventListener(GrpcServerShutdownEvent.class)
    public void start() {
        started.tryEmitEmpty();
    }

    /** Completes when the server is about to stop. */
    Mono<Void> started() {
        return started.asMono();
    }

    /** The signal that ends a stream after its accepted events are answered; empty unless the server is about to stop. */
    Mono<Mono<EventResponse>> rejection() {
        return Mono.defer(() -> Boolean.TRUE.equals(started.scan(Scannable.Attr.TERMINATED))
                ? Mono.just(Mono.error(Statuses.exception(Problem.STOPPING)))
                : Mono.empty());
    }
}

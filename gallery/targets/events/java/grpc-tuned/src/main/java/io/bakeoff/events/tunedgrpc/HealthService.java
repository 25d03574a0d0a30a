package io.bakeoff.events.tunedgrpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.writing.EventWriter;
import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Set;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The standard {@code grpc.health.v1}, which queries the database on each call. */
@Component
final class HealthService extends HealthGrpc.HealthImplBase {
    /** How often the status is checked for watchers. */
    private static final Duration WATCH_PERIOD = Duration.ofSeconds(1);

    private static final Set<String> SERVICES = Set.of("", EventServiceGrpc.SERVICE_NAME);

    private final EventWriter writer;
    private final OpenStreams streams;

    HealthService(EventWriter writer, OpenStreams streams) {
        this.writer = writer;
        this.streams = streams;
    }

    @Override
    public void check(HealthCheckRequest request, StreamObserver<HealthCheckResponse> reply) {
        if (!SERVICES.contains(request.getService())) {
            reply.onError(Status.NOT_FOUND.withDescription("service: unknown").asException());
            return;
        }
        status().subscribe(status -> {
            reply.onNext(response(status));
            reply.onCompleted();
        });
    }

    /** The protocol requires that the call stays open for an unknown service, which may appear later. */
    @Override
    public void watch(HealthCheckRequest request, StreamObserver<HealthCheckResponse> observer) {
        ServerCallStreamObserver<HealthCheckResponse> watcher =
                (ServerCallStreamObserver<HealthCheckResponse>) observer;
        Sinks.Empty<Void> ended = Sinks.empty();
        Runnable stop = ended::tryEmitEmpty;
        streams.add(stop);
        watcher.setOnCancelHandler(stop);
        statuses(SERVICES.contains(request.getService()))
                .takeUntilOther(ended.asMono())
                .doFinally(signal -> streams.remove(stop))
                .subscribe(status -> watcher.onNext(response(status)), watcher::onError, () -> complete(watcher));
    }

    private Flux<ServingStatus> statuses(boolean known) {
        return known
                ? Flux.interval(Duration.ZERO, WATCH_PERIOD)
                        .onBackpressureDrop()
                        .concatMap(tick -> status())
                        .distinctUntilChanged()
                : Flux.<ServingStatus>never().startWith(ServingStatus.SERVICE_UNKNOWN);
    }

    private static void complete(ServerCallStreamObserver<HealthCheckResponse> watcher) {
        if (!watcher.isCancelled()) {
            watcher.onCompleted();
        }
    }

    private Mono<ServingStatus> status() {
        return writer.isHealthy().map(healthy -> healthy ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }

    private static HealthCheckResponse response(ServingStatus status) {
        return HealthCheckResponse.newBuilder().setStatus(status).build();
    }
}

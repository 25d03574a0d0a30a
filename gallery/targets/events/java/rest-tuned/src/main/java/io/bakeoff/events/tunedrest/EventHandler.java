package io.bakeoff.events.tunedrest;

import io.bakeoff.events.json.JsonEvents;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Intake;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Decodes requests, calls the writer, encodes its replies. */
@Component
final class EventHandler {
    private final EventWriter writer;
    private final Intake intake;

    EventHandler(EventWriter writer, Intake intake) {
        this.writer = writer;
        this.intake = intake;
    }

    Mono<ServerResponse> processEvent(ServerRequest request) {
        return RequestBody.read(request, Limits.EVENT_BYTES, intake)
                .flatMap(this::store)
                .onErrorResume(RefusedException.class, refused -> Replies.of(refused.problem()));
    }

    Mono<ServerResponse> processBulk(ServerRequest request) {
        return RequestBody.read(request, Limits.BULK_BYTES, intake)
                .flatMap(this::storeBulk)
                .onErrorResume(RefusedException.class, refused -> Replies.of(refused.problem()));
    }

    Mono<ServerResponse> health(ServerRequest request) {
        return writer.isHealthy().flatMap(Replies::health);
    }

    private Mono<ServerResponse> store(byte[] body) {
        Decoded decoded = JsonEvents.event(body);
        return decoded instanceof Event event
                ? writer.store(event).flatMap(Replies::of)
                : Replies.of((Problem) decoded);
    }

    private Mono<ServerResponse> storeBulk(byte[] body) {
        DecodedBulk decoded = JsonEvents.bulk(body);
        return decoded instanceof Bulk bulk
                ? writer.storeBulk(bulk.events()).flatMap(Replies::of)
                : Replies.of((Problem) decoded);
    }
}

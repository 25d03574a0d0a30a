package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import java.util.List;
import reactor.core.publisher.Mono;

/** How events reach the database. */
sealed interface WriteStrategy permits GroupCommit, PerRequest {
    /** Takes an event unless there is no room; whether it was taken. */
    boolean offer(Event event, Acknowledgement acknowledgement);

    /** Runs once there may be room for an event: now, or when something has been stored. */
    void whenRoom(Event event, Runnable retry);

    /** Takes the events of one request, all or none; empty when there is no room for them. */
    Mono<List<Outcome>> storeAll(List<Event> events);

    /** How many events of one stream may be under way, given that they take effect in their order. */
    int streamWindow();

    /** Completes when all that was taken has been answered. To be called when no request is under way. */
    Mono<Void> drain();
}

package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import java.util.List;
import reactor.core.publisher.Mono;

/** How events are written to the database. */
sealed interface WriteStrategy permits GroupCommit, PerRequest {
    /** Accepts an event unless the queue is full. Returns whether it was accepted. */
    boolean offer(Event event, Acknowledgement acknowledgement);

    /** Runs {@code retry} once when there may be capacity: now, or when events have been stored. */
    void whenCapacity(Event event, Runnable retry);

    /** Accepts all events of one request or none; empty when the queue is full. */
    Mono<List<Outcome>> storeAll(List<Event> events);

    /** Maximum number of events of one stream in flight, given that they take effect in order. */
    int streamWindow();

    /** Completes when all accepted events have been answered. Call it when no requests are in flight. */
    Mono<Void> drain();
}

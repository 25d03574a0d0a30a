package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** One transaction for each request, no more requests under way than the queue would hold. */
final class PerRequest implements WriteStrategy {
    private final Committer committer;
    private final Sinks.Empty<Void> drained = Sinks.empty();

    // All below under this object's lock.
    private final Room room;
    private final List<Runnable> waitingForRoom = new ArrayList<>();
    private boolean draining;

    PerRequest(Committer committer, int bound) {
        this.committer = committer;
        this.room = new Room(bound);
    }

    @Override
    public boolean offer(Event event, Acknowledgement acknowledgement) {
        return begin(List.of(event), outcomes -> acknowledgement.give(outcomes.get(0)));
    }

    @Override
    public Mono<List<Outcome>> storeAll(List<Event> events) {
        return Mono.create(sink -> {
            if (!begin(events, sink::success)) {
                sink.success();
            }
        });
    }

    @Override
    public void whenRoom(Event event, Runnable retry) {
        synchronized (this) {
            if (!room.isFor(1, event.bytes())) {
                waitingForRoom.add(retry);
                return;
            }
        }
        retry.run();
    }

    /** Transactions side by side have no order. */
    @Override
    public int streamWindow() {
        return 1;
    }

    @Override
    public Mono<Void> drain() {
        synchronized (this) {
            draining = true;
            if (room.isEmpty()) {
                drained.tryEmitEmpty();
            }
        }
        return drained.asMono();
    }

    /** Subscribed apart from the request: a client that goes away does not break off a transaction. */
    private boolean begin(List<Event> events, Consumer<List<Outcome>> whenDone) {
        long bytes = events.stream().mapToLong(Event::bytes).sum();
        synchronized (this) {
            if (!room.isFor(1, bytes)) {
                return false;
            }
            room.take(bytes);
        }
        committer.commit(events).subscribe(outcomes -> {
            List<Runnable> retries = end(bytes);
            whenDone.accept(outcomes);
            retries.forEach(Runnable::run);
        });
        return true;
    }

    private synchronized List<Runnable> end(long bytes) {
        room.giveBack(bytes);
        if (draining && room.isEmpty()) {
            drained.tryEmitEmpty();
        }
        List<Runnable> retries = List.copyOf(waitingForRoom);
        waitingForRoom.clear();
        return retries;
    }
}

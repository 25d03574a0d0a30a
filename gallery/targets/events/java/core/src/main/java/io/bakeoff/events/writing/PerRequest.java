package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** One transaction for each request; the number of requests in flight is bounded. */
final class PerRequest implements WriteStrategy {
    private final Committer committer;
    private final Sinks.Empty<Void> drained = Sinks.empty();

    // The fields below are guarded by this object's lock.
    private final Capacity capacity;
    private final List<Runnable> waitingForCapacity = new ArrayList<>();
    private boolean draining;

    PerRequest(Committer committer, int bound) {
        this.committer = committer;
        this.capacity = new Capacity(bound);
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
    public void whenCapacity(Event event, Runnable retry) {
        synchronized (this) {
            if (!capacity.allows(1, event.bytes())) {
                waitingForCapacity.add(retry);
                return;
            }
        }
        retry.run();
    }

    /** Concurrent transactions have no order. */
    @Override
    public int streamWindow() {
        return 1;
    }

    @Override
    public Mono<Void> drain() {
        synchronized (this) {
            draining = true;
            if (capacity.isEmpty()) {
                drained.tryEmitEmpty();
            }
        }
        return drained.asMono();
    }

    /** Subscribed independently of the request: a client that disconnects does not cancel a transaction. */
    private boolean begin(List<Event> events, Consumer<List<Outcome>> whenDone) {
        long bytes = events.stream().mapToLong(Event::bytes).sum();
        synchronized (this) {
            if (!capacity.allows(1, bytes)) {
                return false;
            }
            capacity.reserve(bytes);
        }
        committer.commit(events).subscribe(outcomes -> {
            List<Runnable> retries = end(bytes);
            whenDone.accept(outcomes);
            retries.forEach(Runnable::run);
        });
        return true;
    }

    private synchronized List<Runnable> end(long bytes) {
        capacity.release(bytes);
        if (draining && capacity.isEmpty()) {
            drained.tryEmitEmpty();
        }
        List<Runnable> retries = List.copyOf(waitingForCapacity);
        waitingForCapacity.clear();
        return retries;
    }
}

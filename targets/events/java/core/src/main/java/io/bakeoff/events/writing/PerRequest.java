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
    private final int bound;
    private final Sinks.Empty<Void> drained = Sinks.empty();

    // All below under this object's lock.
    private final List<Runnable> waitingForRoom = new ArrayList<>();
    private int underWay;
    private boolean draining;

    PerRequest(Committer committer, int bound) {
        this.committer = committer;
        this.bound = bound;
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
            if (underWay == bound) {
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
            if (underWay == 0) {
                drained.tryEmitEmpty();
            }
        }
        return drained.asMono();
    }

    /** Subscribed apart from the request: a client that goes away does not break off a transaction. */
    private boolean begin(List<Event> events, Consumer<List<Outcome>> whenDone) {
        synchronized (this) {
            if (underWay == bound) {
                return false;
            }
            underWay++;
        }
        committer.commit(events).subscribe(outcomes -> {
            List<Runnable> retries = end();
            whenDone.accept(outcomes);
            retries.forEach(Runnable::run);
        });
        return true;
    }

    private synchronized List<Runnable> end() {
        underWay--;
        if (draining && underWay == 0) {
            drained.tryEmitEmpty();
        }
        List<Runnable> retries = List.copyOf(waitingForRoom);
        waitingForRoom.clear();
        return retries;
    }
}

package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * Group commit: events wait in a queue, and a free flusher stores all of them in one transaction.
 *
 * <p>There is no timer and no thread. Adding an event starts a free flusher; after a commit the flusher continues with
 * the events that have arrived meanwhile. A single event is stored immediately; under load a batch is what arrived during
 * the last commit.
 */
final class GroupCommit implements WriteStrategy {
    private final Committer committer;
    private final WriteQueue queue;
    private final int flushers;
    private final Sinks.Empty<Void> drained = Sinks.empty();

    // The fields below and the queue are guarded by this object's lock.
    private final List<Runnable> waitingForCapacity = new ArrayList<>();
    private int flushing;
    private boolean draining;

    GroupCommit(Committer committer, int flushers, int queueEvents) {
        this.committer = committer;
        this.flushers = flushers;
        this.queue = new WriteQueue(queueEvents, flushers > 1);
    }

    @Override
    public boolean offer(Event event, Acknowledgement acknowledgement) {
        synchronized (this) {
            if (!queue.hasCapacity(1, event.bytes())) {
                return false;
            }
            queue.add(event, acknowledgement);
        }
        flush();
        return true;
    }

    @Override
    public Mono<List<Outcome>> storeAll(List<Event> events) {
        return Mono.create(sink -> {
            if (offerAll(events, sink)) {
                flush();
            } else {
                sink.success();
            }
        });
    }

    private synchronized boolean offerAll(List<Event> events, MonoSink<List<Outcome>> sink) {
        if (!queue.hasCapacity(
                events.size(), events.stream().mapToLong(Event::bytes).sum())) {
            return false;
        }
        Outcomes outcomes = new Outcomes(events.size(), sink::success);
        for (int index = 0; index < events.size(); index++) {
            queue.add(events.get(index), outcomes.of(index));
        }
        return true;
    }

    @Override
    public void whenCapacity(Event event, Runnable retry) {
        synchronized (this) {
            if (!queue.hasCapacity(1, event.bytes())) {
                waitingForCapacity.add(retry);
                return;
            }
        }
        retry.run();
    }

    /** The size of one batch: more events could only wait. */
    @Override
    public int streamWindow() {
        return WriteQueue.BATCH_ROWS;
    }

    @Override
    public Mono<Void> drain() {
        synchronized (this) {
            draining = true;
        }
        signalDrained();
        return drained.asMono();
    }

    /** Starts free flushers while there are events that may be stored. */
    private void flush() {
        for (Batch batch = startBatch(); batch != null; batch = startBatch()) {
            Batch started = batch;
            committer.commit(batch.events()).subscribe(outcomes -> finish(started, outcomes));
            runAll(takeWaitingForCapacity());
        }
    }

    private synchronized Batch startBatch() {
        if (flushing == flushers || queue.isEmpty()) {
            return null;
        }
        Batch batch = queue.take();
        if (batch.isEmpty()) {
            return null;
        }
        flushing++;
        return batch;
    }

    private void finish(Batch batch, List<Outcome> outcomes) {
        boolean unavailable = outcomes.contains(Problem.UNAVAILABLE);
        Batch refused = new Batch();
        synchronized (this) {
            // Before the replies: a client that has one may send the next update of the same entity.
            queue.finish(batch);
            flushing--;
            if (unavailable) {
                // Their timeout has expired, too: one batch after another, they could wait for minutes.
                refused = queue.takeAll();
            }
        }
        // The next commit first, so that the database works while clients are answered.
        flush();
        batch.acknowledge(outcomes);
        if (!refused.isEmpty()) {
            refused.acknowledge(Collections.nCopies(refused.events().size(), Problem.UNAVAILABLE));
            runAll(takeWaitingForCapacity());
        }
        signalDrained();
    }

    private synchronized List<Runnable> takeWaitingForCapacity() {
        if (waitingForCapacity.isEmpty()) {
            return List.of();
        }
        List<Runnable> taken = List.copyOf(waitingForCapacity);
        waitingForCapacity.clear();
        return taken;
    }

    private static void runAll(List<Runnable> retries) {
        retries.forEach(Runnable::run);
    }

    private void signalDrained() {
        synchronized (this) {
            if (!draining || flushing > 0 || !queue.isEmpty()) {
                return;
            }
        }
        drained.tryEmitEmpty();
    }
}

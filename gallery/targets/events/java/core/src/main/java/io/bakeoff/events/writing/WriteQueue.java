package io.bakeoff.events.writing;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.writing.Batch.Waiting;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/** The bounded queue; decides which events may be stored next. Not thread-safe: guarded by {@link GroupCommit}. */
final class WriteQueue {
    /** Limits of a batch, which always has at least one event. */
    static final int BATCH_ROWS = 1_000;

    static final int BATCH_BYTES = 4 << 20;

    private final Capacity capacity;
    private final boolean concurrent;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<Key> inFlight = new HashSet<>();

    /**
     * A queue of at most {@code bound} events.
     *
     * @param concurrent whether several batches can be in flight
     */
    WriteQueue(int bound, boolean concurrent) {
        this.capacity = new Capacity(bound);
        this.concurrent = concurrent;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    boolean hasCapacity(int events, long bytes) {
        return capacity.allows(events, bytes);
    }

    void add(Event event, Acknowledgement acknowledgement) {
        capacity.reserve(event.bytes());
        waiting.add(new Waiting(event, acknowledgement));
    }

    /**
     * Takes events up to the first that must wait for a batch in flight. Those behind it wait too: overtaking would
     * require a look at every queued key, for entities that are hot anyway.
     */
    Batch take() {
        Batch batch = new Batch();
        int rows = 0;
        int batchBytes = 0;
        for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
            Event event = next.event();
            rows += event.entities().size();
            batchBytes += event.bytes();
            boolean full = rows > BATCH_ROWS || batchBytes > BATCH_BYTES;
            if (full && !batch.isEmpty() || mustWait(event)) {
                break;
            }
            batch.add(remove());
        }
        claim(batch);
        return batch;
    }

    /** Removes all events, which are not stored. */
    Batch takeAll() {
        Batch all = new Batch();
        while (!waiting.isEmpty()) {
            all.add(remove());
        }
        return all;
    }

    /** Ends a batch that was in flight. */
    void finish(Batch batch) {
        if (concurrent) {
            batch.events().forEach(event -> event.entities().forEach(entity -> inFlight.remove(entity.key())));
        }
    }

    private Waiting remove() {
        Waiting first = waiting.remove();
        capacity.release(first.event().bytes());
        return first;
    }

    private boolean mustWait(Event event) {
        if (inFlight.isEmpty()) {
            return false;
        }
        for (Entity entity : event.entities()) {
            if (inFlight.contains(entity.key())) {
                return true;
            }
        }
        return false;
    }

    /** Called after the whole batch was taken: its own events may share entities. */
    private void claim(Batch batch) {
        if (concurrent) {
            batch.events().forEach(event -> event.entities().forEach(entity -> inFlight.add(entity.key())));
        }
    }
}

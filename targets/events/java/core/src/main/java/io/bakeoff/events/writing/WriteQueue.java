package io.bakeoff.events.writing;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.writing.Batch.Waiting;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/** The bounded queue, and which of it may be stored next. Not thread-safe: {@link GroupCommit} holds the lock. */
final class WriteQueue {
    /** A batch ends before the event that would exceed one of these, but has at least one event. */
    static final int BATCH_ROWS = 1_000;

    static final int BATCH_BYTES = 4 << 20;

    /** The bound in events would allow 20 GB of the largest events. */
    static final int QUEUE_BYTES = 128 << 20;

    private final int bound;
    private final boolean concurrent;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<Key> underWay = new HashSet<>();
    private long bytes;

    /**
     * A queue of at most {@code bound} events.
     *
     * @param concurrent whether batches can be under way side by side
     */
    WriteQueue(int bound, boolean concurrent) {
        this.bound = bound;
        this.concurrent = concurrent;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** An empty queue takes anything, or a bulk above the bound could never be stored. */
    boolean hasRoom(int events, long moreBytes) {
        return waiting.isEmpty() || waiting.size() + events <= bound && bytes + moreBytes <= QUEUE_BYTES;
    }

    void add(Event event, Acknowledgement acknowledgement) {
        bytes += event.bytes();
        waiting.add(new Waiting(event, acknowledgement));
    }

    /**
     * Takes from the front up to the first event that must wait for a batch under way. Those behind it wait too:
     * letting them pass would need a look at every key that waits, for entities that are hot anyway.
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
            bytes -= event.bytes();
            batch.add(waiting.remove());
        }
        claim(batch);
        return batch;
    }

    /** The batch is no longer under way. */
    void finish(Batch batch) {
        if (concurrent) {
            batch.events().forEach(event -> event.entities().forEach(entity -> underWay.remove(entity.key())));
        }
    }

    private boolean mustWait(Event event) {
        if (underWay.isEmpty()) {
            return false;
        }
        for (Entity entity : event.entities()) {
            if (underWay.contains(entity.key())) {
                return true;
            }
        }
        return false;
    }

    /** After the whole batch was taken: its own events may share entities. */
    private void claim(Batch batch) {
        if (concurrent) {
            batch.events().forEach(event -> event.entities().forEach(entity -> underWay.add(entity.key())));
        }
    }
}

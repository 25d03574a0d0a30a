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

    private final Room room;
    private final boolean concurrent;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<Key> underWay = new HashSet<>();

    /**
     * A queue of at most {@code bound} events.
     *
     * @param concurrent whether batches can be under way side by side
     */
    WriteQueue(int bound, boolean concurrent) {
        this.room = new Room(bound);
        this.concurrent = concurrent;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    boolean hasRoom(int events, long bytes) {
        return room.isFor(events, bytes);
    }

    void add(Event event, Acknowledgement acknowledgement) {
        room.take(event.bytes());
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
            batch.add(remove());
        }
        claim(batch);
        return batch;
    }

    /** Takes all, which are not to be stored. */
    Batch takeAll() {
        Batch all = new Batch();
        while (!waiting.isEmpty()) {
            all.add(remove());
        }
        return all;
    }

    /** The batch is no longer under way. */
    void finish(Batch batch) {
        if (concurrent) {
            batch.events().forEach(event -> event.entities().forEach(entity -> underWay.remove(entity.key())));
        }
    }

    private Waiting remove() {
        Waiting first = waiting.remove();
        room.giveBack(first.event().bytes());
        return first;
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

package io.bakeoff.events.writing;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the memory of requests that are still arriving, all together. */
public final class Intake {
    /**
     * The first bytes of each request are not charged, so that ordinary requests are served while large ones exhaust the
     * budget.
     */
    public static final int FREE_BYTES = 16 << 10;

    /** How much is charged at once. */
    private static final int STEP_BYTES = 64 << 10;

    /** What the objects of one piece take beside its bytes: a client may send a request byte by byte. */
    private static final int PIECE_BYTES = 256;

    private final AtomicLong left;

    /** A budget of {@code bytes}. */
    public Intake(long bytes) {
        left = new AtomicLong(bytes);
    }

    /** The charge of a request of which nothing has arrived. */
    public Charge charge() {
        return new Charge();
    }

    long left() {
        return left.get();
    }

    /** The part of the budget that one request occupies. Used by one thread at a time. */
    public final class Charge {
        private long arrived;
        private long charged;

        private Charge() {}

        /** Charges for a piece that has arrived. Returns whether the budget has room for it. */
        public boolean add(long bytes) {
            arrived += PIECE_BYTES + bytes;
            long missing = arrived - FREE_BYTES - charged;
            if (missing <= 0) {
                return true;
            }
            long steps = (missing + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
            if (left.addAndGet(-steps) < 0) {
                left.addAndGet(steps);
                return false;
            }
            charged += steps;
            return true;
        }

        /** Returns everything to the budget. */
        public void release() {
            arrived = 0;
            if (charged > 0) {
                left.addAndGet(charged);
                charged = 0;
            }
        }
    }
}

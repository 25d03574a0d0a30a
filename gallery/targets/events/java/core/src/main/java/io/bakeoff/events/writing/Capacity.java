package io.bakeoff.events.writing;

/** Limits the events that are accepted and not yet stored. Not thread-safe: guarded by its owner's lock. */
final class Capacity {
    /** The bound by number alone would allow 20 GB of the largest events. */
    static final int BYTES = 144 << 20;

    private final int bound;
    private int taken;
    private long bytes;

    /** A capacity of {@code bound} events or requests. */
    Capacity(int bound) {
        this.bound = bound;
    }

    /** Whether everything accepted has been stored. */
    boolean isEmpty() {
        return taken == 0;
    }

    /** An empty queue accepts anything; otherwise a bulk above the bound could never be stored. */
    boolean allows(int more, long moreBytes) {
        return isEmpty() || taken + more <= bound && bytes + moreBytes <= BYTES;
    }

    void reserve(long moreBytes) {
        taken++;
        bytes += moreBytes;
    }

    void release(long lessBytes) {
        taken--;
        bytes -= lessBytes;
    }
}

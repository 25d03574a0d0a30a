package io.bakeoff.events.writing;

/** The room for what has been accepted and is not yet stored. Not thread-safe: its owner holds a lock. */
final class Room {
    /** The bound by number would allow 20 GB of the largest events; of the heap in {@code run.sh} this is a third. */
    static final int BYTES = 144 << 20;

    private final int bound;
    private int taken;
    private long bytes;

    /** Room for {@code bound}, which are events or requests. */
    Room(int bound) {
        this.bound = bound;
    }

    /** Nothing has been accepted that is not yet stored. */
    boolean isEmpty() {
        return taken == 0;
    }

    /** Empty, it is room for anything, or a bulk above the bound could never be stored. */
    boolean isFor(int more, long moreBytes) {
        return isEmpty() || taken + more <= bound && bytes + moreBytes <= BYTES;
    }

    void take(long moreBytes) {
        taken++;
        bytes += moreBytes;
    }

    void giveBack(long lessBytes) {
        taken--;
        bytes -= lessBytes;
    }
}

package io.bakeoff.events.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Skips bytes of a string that need no handling (all but quotes, backslashes, control characters), eight at a time. */
final class PlainBytes {
    /** The first byte of eight is the lowest. */
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x80 * ONES;
    private static final long QUOTES = '"' * ONES;
    private static final long BACKSLASHES = '\\' * ONES;
    private static final long SPACES = ' ' * ONES;

    private PlainBytes() {}

    /** The position of the first byte that needs handling, or a position with fewer than eight bytes left. */
    static int skip(byte[] source, int start) {
        int position = start;
        while (position + Long.BYTES <= source.length) {
            long others = others((long) LONGS.get(source, position));
            if (others != 0) {
                return position + (Long.numberOfTrailingZeros(others) >>> 3);
            }
            position += Long.BYTES;
        }
        return position;
    }

    /**
     * The high bit of the lowest byte that needs handling. XOR makes a byte zero where it matches; subtracting then sets
     * the high bit of zero and of bytes below a space. A borrow affects higher bytes only.
     */
    private static long others(long bytes) {
        return ((bytes ^ QUOTES) - ONES | (bytes ^ BACKSLASHES) - ONES | bytes - SPACES) & ~bytes & HIGH_BITS;
    }
}

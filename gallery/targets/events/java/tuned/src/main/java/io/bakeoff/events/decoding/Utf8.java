package io.bakeoff.events.decoding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Whether bytes are UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
public final class Utf8 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long NOT_ASCII = 0x8080808080808080L;

    private Utf8() {}

    /** Whether the bytes {@code [start, end)} are UTF-8. */
    public static boolean isValid(byte[] bytes, int start, int end) {
        int position = start;
        while (position < end) {
            if (position + Long.BYTES <= end && ((long) LONGS.get(bytes, position) & NOT_ASCII) == 0) {
                position += Long.BYTES;
            } else if (bytes[position] >= 0) {
                position++;
            } else {
                int length = sequenceLength(bytes, position, end);
                if (length == 0) {
                    return false;
                }
                position += length;
            }
        }
        return true;
    }

    /** Length of the sequence of two to four bytes at this position, 0 if it is invalid. */
    private static int sequenceLength(byte[] bytes, int position, int end) {
        int first = bytes[position] & 0xff;
        if (first < 0xc2 || first > 0xf4) {
            return 0;
        }
        int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (position + length > end || !isSecond(first, bytes[position + 1] & 0xff)) {
            return 0;
        }
        for (int next = position + 2; next < position + length; next++) {
            if ((bytes[next] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /** After some first bytes the second is limited to fewer values than 80 to BF. */
    private static boolean isSecond(int first, int second) {
        int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        int greatest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        return second >= least && second <= greatest;
    }
}

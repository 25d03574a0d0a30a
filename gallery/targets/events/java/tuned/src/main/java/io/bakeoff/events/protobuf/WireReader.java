package io.bakeoff.events.protobuf;

import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.decoding.Utf8;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads the fields of one message from the wire format. Nested messages get their own reader. */
final class WireReader {
    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int GROUP = 3;
    private static final int END_GROUP = 4;
    private static final int FIXED32 = 5;

    /** Maximum nesting of groups, which are deprecated but must still be skipped. */
    private static final int GROUP_DEPTH = 100;

    private static final VarHandle LITTLE_ENDIAN_LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] source;
    private final int end;
    private int position;

    private int number;
    private int wireType;
    private long scalar;
    private int start;

    /** Reads the message {@code [start, end)} of {@code source}. */
    WireReader(byte[] source, int start, int end) {
        this.source = source;
        this.position = start;
        this.end = end;
    }

    /** Reads the next field; false at the end of the message. */
    boolean next() throws MalformedException {
        if (position == end) {
            return false;
        }
        tag();
        if (wireType == GROUP) {
            skipGroup();
        } else {
            value();
        }
        return true;
    }

    /** Whether the field has this number and is length-delimited: a string or a message. */
    boolean isBytes(int expected) {
        return number == expected && wireType == BYTES;
    }

    /** Number of the field. */
    int number() {
        return number;
    }

    /** Wire type of the field. */
    int wireType() {
        return wireType;
    }

    /** Value of a varint or of eight bytes. */
    long scalar() {
        return scalar;
    }

    /** The message in the field. */
    WireReader message() {
        return new WireReader(source, start, position);
    }

    /** Length of the bytes in the field. */
    int length() {
        return position - start;
    }

    /** The string in the field, which must be UTF-8. */
    Text text() throws MalformedException {
        if (!Utf8.isValid(source, start, position)) {
            throw new MalformedException();
        }
        return new Text(source, start, position, Text.Form.PLAIN);
    }

    /** A new reader of the same message from its start. */
    WireReader again(int messageStart) {
        return new WireReader(source, messageStart, end);
    }

    /** The current position. */
    int position() {
        return position;
    }

    private void tag() throws MalformedException {
        long tag = varint();
        if (tag < 8 || tag > 0xffff_ffffL) {
            throw new MalformedException();
        }
        number = (int) (tag >>> 3);
        wireType = (int) tag & 7;
    }

    private void value() throws MalformedException {
        switch (wireType) {
            case VARINT -> scalar = varint();
            case FIXED64 -> {
                skip(Long.BYTES);
                scalar = (long) LITTLE_ENDIAN_LONGS.get(source, start);
            }
            case BYTES -> skip(varint());
            case FIXED32 -> skip(Integer.BYTES);
            default -> throw new MalformedException();
        }
    }

    private void skip(long length) throws MalformedException {
        if (length < 0 || length > end - position) {
            throw new MalformedException();
        }
        start = position;
        position += (int) length;
    }

    /** Skips to the end of the group that has just started. */
    private void skipGroup() throws MalformedException {
        int outermost = number;
        int[] open = new int[GROUP_DEPTH];
        int depth = 0;
        open[depth++] = number;
        while (depth > 0) {
            tag();
            if (wireType == GROUP && depth < GROUP_DEPTH) {
                open[depth++] = number;
            } else if (wireType == END_GROUP && number == open[depth - 1]) {
                depth--;
            } else {
                value();
            }
        }
        number = outermost;
        wireType = GROUP;
    }

    private long varint() throws MalformedException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (position == end) {
                throw new MalformedException();
            }
            byte next = source[position++];
            // The tenth byte holds one bit.
            if (shift == 63 && (next & 0xfe) != 0) {
                throw new MalformedException();
            }
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new MalformedException();
    }
}

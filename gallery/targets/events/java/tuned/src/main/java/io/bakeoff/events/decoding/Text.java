package io.bakeoff.events.decoding;

import java.util.Arrays;

/**
 * A string, or for dates an integer, as encoded in the message: UTF-8, {@code [start, end)} of {@code source}.
 *
 * @param form how to interpret the bytes
 */
@SuppressWarnings("ArrayRecordComponent")
public record Text(byte[] source, int start, int end, Form form) implements Field {
    /** How to interpret the bytes. */
    public enum Form {
        /** The text itself. */
        PLAIN,
        /** The content of a JSON string with escape sequences; its syntax has been checked. */
        ESCAPED,
        /** The literal of a JSON integer, without fraction and exponent. */
        INTEGER
    }

    /** Text without escape sequences. */
    public static Text plain(byte[] text) {
        return new Text(text, 0, text.length, Form.PLAIN);
    }

    /** Number of bytes. */
    public int length() {
        return end - start;
    }

    /** The byte at a position from 0. */
    public byte at(int position) {
        return source[start + position];
    }

    /** Whether it equals the given bytes. */
    public boolean is(byte[] bytes) {
        return Arrays.equals(source, start, end, bytes, 0, bytes.length);
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return Arrays.copyOfRange(source, start, end);
    }

    /** Number of Unicode code points. */
    public int characters() {
        int characters = 0;
        for (int position = start; position < end; position++) {
            // Every byte of UTF-8 but 10xxxxxx begins a code point.
            if ((source[position] & 0xc0) != 0x80) {
                characters++;
            }
        }
        return characters;
    }
}

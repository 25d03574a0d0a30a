package io.bakeoff.events.decoding;

import java.util.Arrays;

/**
 * A string, or for dates a whole number, as it stands in the message: UTF-8, {@code [start, end)} of {@code source}.
 *
 * @param form how to read it
 */
@SuppressWarnings("ArrayRecordComponent")
public record Text(byte[] source, int start, int end, Form form) implements Field {
    /** How to read the bytes. */
    public enum Form {
        /** They are what they say. */
        PLAIN,
        /** The inside of a JSON string that holds escapes; its syntax has been checked. */
        ESCAPED,
        /** The literal of a JSON number without fraction and exponent. */
        INTEGER
    }

    /** Text that is what it says. */
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

    /** Whether these are the bytes. */
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

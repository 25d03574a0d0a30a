package io.bakeoff.events.protobuf;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bakeoff.events.decoding.Text;
import java.util.Arrays;

/** A growing buffer of JSON text in UTF-8 that can be truncated. */
final class JsonText {
    private static final byte[] HEXADECIMAL = "0123456789abcdef".getBytes(US_ASCII);

    private byte[] bytes;
    private int length;

    JsonText(int capacity) {
        bytes = new byte[capacity];
    }

    int length() {
        return length;
    }

    /** Truncates the text to a length. */
    void cut(int to) {
        length = to;
    }

    byte last() {
        return bytes[length - 1];
    }

    void write(char character) {
        reserve(1);
        bytes[length++] = (byte) character;
    }

    @SuppressWarnings("deprecation") // The deprecated method is the one that copies ASCII without an encoder.
    void write(String ascii) {
        reserve(ascii.length());
        ascii.getBytes(0, ascii.length(), bytes, length);
        length += ascii.length();
    }

    /**
     * Writes a string with its quotes; control characters, quotes and backslashes are escaped.
     *
     * @return false if it contains NUL, whose escape PostgreSQL rejects
     */
    boolean writeString(Text text) {
        boolean storable = true;
        reserve(2 + text.length());
        bytes[length++] = '"';
        int end = text.end();
        for (int position = text.start(); position < end; position++) {
            byte next = text.source()[position];
            if (next >= 0 && next < ' ' || next == '"' || next == '\\') {
                // The escape, the remaining text, and the closing quote.
                reserve(7 + end - position);
                escape(next);
                storable &= next != 0;
            } else {
                bytes[length++] = next;
            }
        }
        bytes[length++] = '"';
        return storable;
    }

    byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void escape(byte character) {
        bytes[length++] = '\\';
        if (character == '"' || character == '\\') {
            bytes[length++] = character;
            return;
        }
        bytes[length++] = 'u';
        bytes[length++] = '0';
        bytes[length++] = '0';
        bytes[length++] = HEXADECIMAL[character >> 4];
        bytes[length++] = HEXADECIMAL[character & 15];
    }

    private void reserve(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(length + more, bytes.length * 2));
        }
    }
}

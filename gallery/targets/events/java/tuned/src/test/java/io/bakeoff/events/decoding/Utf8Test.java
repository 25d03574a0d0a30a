package io.bakeoff.events.decoding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8Test {
    /** Bytes at the bounds of valid sequences. */
    private static final int[] EDGES = {
        0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
        0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff
    };

    @Test
    void agreesWithTheJdkAboutEverySequenceOfEdges() {
        int valid = 0;
        byte[] bytes = new byte[4];
        for (int sequence = 0; sequence < Math.pow(EDGES.length, 4); sequence++) {
            int rest = sequence;
            for (int position = 0; position < 4; position++) {
                bytes[position] = (byte) EDGES[rest % EDGES.length];
                rest /= EDGES.length;
            }
            boolean expected = jdkDecodes(bytes);
            assertThat(Utf8.isValid(bytes, 0, 4)).as("%x", sequence).isEqualTo(expected);
            valid += expected ? 1 : 0;
        }
        assertThat(valid).isPositive();
    }

    @Test
    void findsOneBadByteAnywhereInALongText() {
        byte[] text = "plain text and ä, 日本, 😀, then plain text again".getBytes(UTF_8);
        assertThat(Utf8.isValid(text, 0, text.length)).isTrue();
        for (int position = 0; position < text.length; position++) {
            byte[] broken = text.clone();
            broken[position] = (byte) 0xff;
            assertThat(Utf8.isValid(broken, 0, broken.length)).isFalse();
        }
    }

    @Test
    void readsNothingOutsideTheSlice() {
        byte[] text = {(byte) 0xff, 'a', 'b', (byte) 0xc3, (byte) 0xa4};
        assertThat(Utf8.isValid(text, 1, 3)).isTrue();
        assertThat(Utf8.isValid(text, 1, 5)).isTrue();
        assertThat(Utf8.isValid(text, 1, 4)).as("cut off").isFalse();
        assertThat(Utf8.isValid(text, 2, 2)).isTrue();
    }

    @Test
    void agreesWithTheJdkAboutRandomBytes() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new String(random.ints(12, 0, 0x400).toArray(), 0, 12).getBytes(UTF_8);
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            assertThat(Utf8.isValid(bytes, 0, bytes.length)).isEqualTo(jdkDecodes(bytes));
        }
    }

    private static boolean jdkDecodes(byte[] bytes) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException broken) {
            return false;
        }
    }
}

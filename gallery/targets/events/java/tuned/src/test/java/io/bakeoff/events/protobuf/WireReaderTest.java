package io.bakeoff.events.protobuf;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WireReaderTest {
    @Test
    void fieldsOfEveryWireType() throws MalformedException {
        assertThat(read("")).isEmpty();
        assertThat(read("\u0008\u0096\u0001")).containsExactly("1:varint 150");
        assertThat(read("\u0011\u0001\0\0\0\0\0\0\0\u001d\u0002\0\0\0")).containsExactly("2:fixed64 1", "3:other");
        assertThat(read("\"\u0002hi\"\0")).containsExactly("4:hi", "4:");
        assertThat(read("\u0008\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0001"))
                .containsExactly("1:varint -1");
    }

    @Test
    void groupsAreSkipped() throws MalformedException {
        assertThat(read("\u000b\u0008\u0001\u0013\u0014\"\u0001x\u000c\u0018\u0007"))
                .containsExactly("1:other", "3:varint 7");
        assertThat(read("\u000b".repeat(100) + "\u000c".repeat(100))).containsExactly("1:other");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0008", // no value
                "\u0008\u0080", // cut off
                "\u0008\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0002", // 65 bits
                "\u0008\u0080\u0080\u0080\u0080\u0080\u0080\u0080\u0080\u0080\u0080\0", // 11 bytes
                "\u0011\0\0\0\0\0\0\0", // 7 of 8 bytes
                "\u001d\0\0\0", // 3 of 4 bytes
                "\"\u0002h", // 1 of 2 bytes
                "\"\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0001", // longer than memory
                "\0\0", // number 0
                "\u000e\0", // wire type 6
                "\u00ff\u00ff\u00ff\u00ff\u007f\0", // number above 2^29
                "\u000b", // a group without end
                "\u000c", // an end without group
                "\u000b\u0014", // the end of another group
                "\u000b\u0013\u000c\u0014" // groups that overlap
            })
    void malformedMessages(String bytes) {
        assertThatThrownBy(() -> read(bytes)).isInstanceOf(MalformedException.class);
    }

    @Test
    void groupsNestOnlySoFar() {
        assertThatThrownBy(() -> read("\u000b".repeat(101) + "\u000c".repeat(101)))
                .isInstanceOf(MalformedException.class);
    }

    private static List<String> read(String bytes) throws MalformedException {
        byte[] message = bytes.getBytes(ISO_8859_1);
        WireReader fields = new WireReader(message, 0, message.length);
        List<String> found = new ArrayList<>();
        while (fields.next()) {
            found.add(fields.number()
                    + ":"
                    + switch (fields.wireType()) {
                        case WireReader.VARINT -> "varint " + fields.scalar();
                        case WireReader.FIXED64 -> "fixed64 " + fields.scalar();
                        case WireReader.BYTES -> new String(fields.text().bytes(), ISO_8859_1);
                        default -> "other";
                    });
        }
        return found;
    }
}

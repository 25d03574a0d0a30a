package io.bakeoff.events.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes valid and invalid messages field by field. */
final class Message {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Message varint(int number, long value) {
        writeVarint(number << 3);
        writeVarint(value);
        return this;
    }

    Message number(int number, double value) {
        writeVarint(number << 3 | 1);
        bytes.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putDouble(value)
                .array());
        return this;
    }

    Message text(int number, String value) {
        return bytes(number, value.getBytes(UTF_8));
    }

    Message message(int number, Message value) {
        return bytes(number, value.toBytes());
    }

    Message bytes(int number, byte[] value) {
        writeVarint(number << 3 | 2);
        writeVarint(value.length);
        bytes.writeBytes(value);
        return this;
    }

    Message append(Message fields) {
        bytes.writeBytes(fields.toBytes());
        return this;
    }

    byte[] toBytes() {
        return bytes.toByteArray();
    }

    private void writeVarint(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes.write((int) rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }
}

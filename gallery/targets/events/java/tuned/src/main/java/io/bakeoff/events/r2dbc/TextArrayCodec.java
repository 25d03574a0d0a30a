package io.bakeoff.events.r2dbc;

import io.bakeoff.events.model.Entity;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.r2dbc.postgresql.client.EncodedParameter;
import io.r2dbc.postgresql.codec.Codec;
import io.r2dbc.postgresql.message.Format;
import reactor.core.publisher.Mono;

/**
 * Sends {@code text[]} in PostgreSQL's binary format.
 *
 * <p>The driver's codec sends the array as one text in which every quote of every JSON document is escaped, and which
 * the server parses character by character. This codec copies bytes.
 */
final class TextArrayCodec implements Codec<TextArray> {
    private static final int TEXT = 25;
    private static final int TEXT_ARRAY = 1009;
    private static final int HEADER_BYTES = 5 * Integer.BYTES;

    private final ByteBufAllocator allocator;

    TextArrayCodec(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public boolean canEncode(Object value) {
        return value instanceof TextArray;
    }

    @Override
    public EncodedParameter encode(Object value) {
        return new EncodedParameter(
                Format.FORMAT_BINARY, TEXT_ARRAY, Mono.fromSupplier(() -> encodeArray((TextArray) value)));
    }

    @Override
    public EncodedParameter encode(Object value, int dataType) {
        return encode(value);
    }

    private ByteBuf encodeArray(TextArray array) {
        int rows = array.rows().size();
        ByteBuf buffer = allocator.buffer(HEADER_BYTES + rows * Integer.BYTES + array.bytes());
        buffer.writeInt(1); // dimensions
        buffer.writeInt(0); // no nulls
        buffer.writeInt(TEXT);
        buffer.writeInt(rows);
        buffer.writeInt(1); // index of the first
        for (Entity row : array.rows()) {
            buffer.writeInt(array.length(row));
            array.write(row, buffer);
        }
        return buffer;
    }

    @Override
    public boolean canDecode(int dataType, Format format, Class<?> type) {
        return false;
    }

    @Override
    public TextArray decode(ByteBuf buffer, int dataType, Format format, Class<? extends TextArray> type) {
        throw new UnsupportedOperationException("arrays are written, never read");
    }

    @Override
    public boolean canEncodeNull(Class<?> type) {
        return false;
    }

    @Override
    public EncodedParameter encodeNull() {
        throw new UnsupportedOperationException("a column of rows is never null");
    }
}

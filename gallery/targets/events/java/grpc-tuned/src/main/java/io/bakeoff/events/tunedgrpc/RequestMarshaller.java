package io.bakeoff.events.tunedgrpc;

import io.grpc.MethodDescriptor.Marshaller;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Function;

/**
 * Decodes requests with a custom decoder. Problems are values, not exceptions, which grpc-java would answer with its own
 * status and message.
 *
 * @param decoder converts the bytes of a message to the handler's parameter
 */
record RequestMarshaller<T>(Function<byte[], T> decoder) implements Marshaller<T> {
    @Override
    public T parse(InputStream message) {
        try {
            // An uncompressed message is available completely, and copied once.
            byte[] bytes = new byte[message.available()];
            message.readNBytes(bytes, 0, bytes.length);
            return decoder.apply(bytes);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Override
    public InputStream stream(T request) {
        throw new UnsupportedOperationException("a server receives requests, it sends none");
    }
}

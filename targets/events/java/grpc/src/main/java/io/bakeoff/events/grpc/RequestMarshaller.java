package io.bakeoff.events.grpc;

import io.grpc.MethodDescriptor.Marshaller;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.Function;

/**
 * Decodes requests with a decoder of ours. What is wrong with a message is a value, not an exception: grpc-java would
 * answer an exception with a status and a message of its own.
 *
 * @param decoder makes what a handler gets of the bytes of a message
 */
record RequestMarshaller<T>(Function<byte[], T> decoder) implements Marshaller<T> {
    @Override
    public T parse(InputStream message) {
        try {
            // All of a message that is not compressed is at hand, and copied once.
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

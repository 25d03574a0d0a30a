package io.bakeoff.events.grpc;

import io.bakeoff.events.model.Problem;
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
 * @param limit most bytes of a message
 * @param tooLarge what a handler gets of more: only a compressed message gets this far with them
 */
record RequestMarshaller<T>(Function<byte[], T> decoder, int limit, Function<Problem, T> tooLarge)
        implements Marshaller<T> {
    @Override
    public T parse(InputStream message) {
        try {
            byte[] bytes = message.readNBytes(limit + 1);
            return bytes.length > limit ? tooLarge.apply(Problem.bodyTooLarge(limit)) : decoder.apply(bytes);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    @Override
    public InputStream stream(T request) {
        throw new UnsupportedOperationException("a server receives requests, it sends none");
    }
}

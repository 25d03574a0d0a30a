package io.bakeoff.events.grpc;

import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** Refuses calls whose messages are compressed, and says what is accepted, which grpc-java by itself would not. */
final class Compression implements ServerInterceptor {
    /** What a message may be: as it is. */
    static final DecompressorRegistry ACCEPTED =
            DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, true);

    private static final String IDENTITY = Codec.Identity.NONE.getMessageEncoding();
    private static final Metadata.Key<String> ENCODING =
            Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> ACCEPT_ENCODING =
            Metadata.Key.of("grpc-accept-encoding", Metadata.ASCII_STRING_MARSHALLER);

    /**
     * Takes out of a call's headers how its messages are compressed, lest grpc-java end the call before any interceptor
     * has seen it; null when they are not.
     */
    static @Nullable String takeEncoding(Metadata headers) {
        String encoding = headers.get(ENCODING);
        if (encoding == null || encoding.equals(IDENTITY)) {
            return null;
        }
        headers.discardAll(ENCODING);
        return encoding;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (IncomingCall.current().encoding() == null) {
            return next.startCall(call, headers);
        }
        Metadata trailers = new Metadata();
        trailers.put(ACCEPT_ENCODING, IDENTITY);
        return IncomingCall.end(
                call, Status.UNIMPLEMENTED.withDescription("grpc-encoding: must be identity"), trailers);
    }
}

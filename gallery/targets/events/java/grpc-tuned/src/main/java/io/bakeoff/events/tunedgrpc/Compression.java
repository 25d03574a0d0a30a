package io.bakeoff.events.tunedgrpc;

import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** Rejects compressed calls and reports the accepted encodings, which grpc-java does not. */
final class Compression implements ServerInterceptor {
    /** Only uncompressed messages. */
    static final DecompressorRegistry ACCEPTED =
            DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, true);

    private static final String IDENTITY = Codec.Identity.NONE.getMessageEncoding();
    private static final Metadata.Key<String> ENCODING =
            Metadata.Key.of("grpc-encoding", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> ACCEPT_ENCODING =
            Metadata.Key.of("grpc-accept-encoding", Metadata.ASCII_STRING_MARSHALLER);

    /**
     * Removes the encoding from a call's headers, because grpc-java would otherwise end the call before any interceptor
     * runs; null when messages are not compressed.
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

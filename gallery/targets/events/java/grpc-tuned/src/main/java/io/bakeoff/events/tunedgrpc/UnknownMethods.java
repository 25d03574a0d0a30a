package io.bakeoff.events.tunedgrpc;

import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Answers calls of unknown methods, for which grpc-java would not run interceptors. */
final class UnknownMethods extends HandlerRegistry {
    private static final MethodDescriptor.Marshaller<byte[]> UNREAD = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] reply) {
            return InputStream.nullInputStream();
        }

        @Override
        public byte[] parse(InputStream request) {
            return new byte[0];
        }
    };

    @Override
    public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
        MethodDescriptor<byte[], byte[]> method = MethodDescriptor.newBuilder(UNREAD, UNREAD)
                .setType(MethodType.UNKNOWN)
                .setFullMethodName(name)
                .build();
        Status status = Status.UNIMPLEMENTED.withDescription("method: not found");
        return ServerMethodDefinition.create(method, (call, headers) -> IncomingCall.end(call, status, new Metadata()));
    }
}

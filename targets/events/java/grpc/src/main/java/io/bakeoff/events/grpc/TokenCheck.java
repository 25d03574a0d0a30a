package io.bakeoff.events.grpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Authorization;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;

/** Ends calls that do not carry the token, health checks excepted. */
record TokenCheck(Authorization authorization) implements ServerInterceptor {
    private static final Metadata.Key<String> HEADER =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (authorization.permits(headers.get(HEADER)) || isHealthCheck(call)) {
            return next.startCall(call, headers);
        }
        return MessageSizeLimit.end(call, Statuses.of(Problem.UNAUTHORIZED));
    }

    private static boolean isHealthCheck(ServerCall<?, ?> call) {
        String method = call.getMethodDescriptor().getFullMethodName();
        return method.equals(EventServiceGrpc.getHealthCheckMethod().getFullMethodName())
                || HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    }
}

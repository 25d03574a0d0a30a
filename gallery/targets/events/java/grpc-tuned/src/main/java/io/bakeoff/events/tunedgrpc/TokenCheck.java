package io.bakeoff.events.tunedgrpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Authorization;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Rejects calls without the token, except health checks. */
record TokenCheck(Authorization authorization) implements ServerInterceptor {
    private static final Metadata.Key<String> HEADER =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final Set<String> HEALTH_CHECKS = healthChecks();

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Iterable<String> values = Objects.requireNonNullElse(headers.getAll(HEADER), List.of());
        if (authorization.permits(values)
                || HEALTH_CHECKS.contains(call.getMethodDescriptor().getFullMethodName())) {
            return next.startCall(call, headers);
        }
        return IncomingCall.end(call, Statuses.of(Problem.UNAUTHORIZED), new Metadata());
    }

    private static Set<String> healthChecks() {
        Set<String> methods = new HashSet<>();
        methods.add(EventServiceGrpc.getHealthCheckMethod().getFullMethodName());
        // Part of the protocol but not of grpc-java: UNIMPLEMENTED with and without a token.
        methods.add(MethodDescriptor.generateFullMethodName(HealthGrpc.SERVICE_NAME, "List"));
        HealthGrpc.getServiceDescriptor().getMethods().forEach(method -> methods.add(method.getFullMethodName()));
        return methods;
    }
}

package io.bakeoff.events.grpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Settings;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;
import java.util.List;
import java.util.Objects;
import org.springframework.grpc.server.GlobalServerInterceptor;
import org.springframework.stereotype.Component;

/** Rejects calls without the token, if one is set, except health checks. */
@Component
@GlobalServerInterceptor
class TokenInterceptor implements ServerInterceptor {
    private static final Metadata.Key<String> HEADER =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String HEALTH_CHECK =
            EventServiceGrpc.getHealthCheckMethod().getFullMethodName();

    private final Settings settings;

    TokenInterceptor(Settings settings) {
        this.settings = settings;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Iterable<String> values = Objects.requireNonNullElse(headers.getAll(HEADER), List.of());
        if (isHealthCheck(call) || settings.authorization().permits(values)) {
            return next.startCall(call, headers);
        }
        call.close(Statuses.of(Problem.UNAUTHORIZED), new Metadata());
        return new ServerCall.Listener<>() {};
    }

    private static boolean isHealthCheck(ServerCall<?, ?> call) {
        return call.getMethodDescriptor().getFullMethodName().equals(HEALTH_CHECK)
                || HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName());
    }
}

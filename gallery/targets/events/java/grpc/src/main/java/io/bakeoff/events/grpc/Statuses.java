package io.bakeoff.events.grpc;

import io.bakeoff.events.model.Problem;
import io.grpc.Status;
import io.grpc.StatusException;

/** Maps problems to gRPC statuses, in one place. */
final class Statuses {
    private Statuses() {}

    static Status of(Problem problem) {
        Status status = switch (problem.kind()) {
            case INVALID, UNSUPPORTED_MEDIA -> Status.INVALID_ARGUMENT;
            case TOO_SLOW -> Status.DEADLINE_EXCEEDED;
            case TOO_LARGE, OVERLOADED, EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            case UNAUTHORIZED -> Status.UNAUTHENTICATED;
            case UNAVAILABLE -> Status.UNAVAILABLE;
            case INTERNAL -> Status.INTERNAL;
        };
        return status.withDescription(problem.message());
    }

    static StatusException exception(Problem problem) {
        return of(problem).asException();
    }
}

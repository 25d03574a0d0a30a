package io.bakeoff.events.grpc;

/** A protobuf value has no JSON equivalent. Without a stack trace: invalid requests are expected. */
final class ValueException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ValueException(String message) {
        super(message, null, false, false);
    }
}

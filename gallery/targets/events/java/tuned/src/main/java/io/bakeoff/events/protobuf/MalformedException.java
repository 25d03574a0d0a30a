package io.bakeoff.events.protobuf;

/** The bytes are not a message. Without a stack trace: invalid requests are expected. */
final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException() {
        super("not a message", null, false, false);
    }
}

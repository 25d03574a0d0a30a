package io.bakeoff.events.protobuf;

/** The bytes are not a message. A client's mistake is no event of ours: there is no stack trace. */
final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException() {
        super("not a message", null, false, false);
    }
}

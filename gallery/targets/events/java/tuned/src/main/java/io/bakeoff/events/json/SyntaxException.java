package io.bakeoff.events.json;

/** The text is not JSON. Without a stack trace: invalid requests are expected. */
final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    SyntaxException() {
        super("not JSON", null, false, false);
    }
}

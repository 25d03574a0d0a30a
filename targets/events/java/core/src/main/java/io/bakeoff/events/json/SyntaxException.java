package io.bakeoff.events.json;

/** The text is not JSON. A client's mistake is no event of ours: there is no stack trace. */
final class SyntaxException extends Exception {
    private static final long serialVersionUID = 1;

    SyntaxException() {
        super("not JSON", null, false, false);
    }
}

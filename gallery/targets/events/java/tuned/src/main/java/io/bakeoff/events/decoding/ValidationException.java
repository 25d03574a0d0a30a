package io.bakeoff.events.decoding;

/** Reports a broken rule. Without a stack trace: invalid requests are expected. */
final class ValidationException extends Exception {
    private static final long serialVersionUID = 1;

    ValidationException(String message) {
        super(message, null, false, false);
    }
}

package io.bakeoff.events.decoding;

/** Carries a broken rule out of the validation. A client's mistake is no event of ours: there is no stack trace. */
final class RuleBroken extends Exception {
    private static final long serialVersionUID = 1;

    RuleBroken(String message) {
        super(message, null, false, false);
    }
}

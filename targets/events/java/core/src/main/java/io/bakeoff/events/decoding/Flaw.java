package io.bakeoff.events.decoding;

/** Why text cannot be stored although its syntax is right. */
public enum Flaw {
    NUL("contains \\u0000, which cannot be stored"),
    LONE_SURROGATE("contains a lone surrogate, which cannot be stored"),
    NUMBER_RANGE("contains a number outside the double range"),
    DEPTH("nested deeper than 32 levels"),
    /** A protobuf {@code Value} in which nothing is set. */
    NO_KIND("contains a value without a kind");

    private final String reason;

    Flaw(String reason) {
        this.reason = reason;
    }

    /** The contract's words. */
    public String reason() {
        return reason;
    }
}

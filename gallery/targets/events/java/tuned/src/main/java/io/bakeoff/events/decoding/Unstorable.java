package io.bakeoff.events.decoding;

/** Why syntactically valid text cannot be stored. */
public enum Unstorable {
    NUL("contains \\u0000, which cannot be stored"),
    LONE_SURROGATE("contains a lone surrogate, which cannot be stored"),
    NUMBER_RANGE("contains a number outside the double range"),
    DEPTH("nested deeper than 32 levels"),
    /** A protobuf {@code Value} without a kind. */
    NO_KIND("contains a value without a kind");

    private final String reason;

    Unstorable(String reason) {
        this.reason = reason;
    }

    /** The message of the contract. */
    public String reason() {
        return reason;
    }
}

package io.bakeoff.events.model;

/** The limits of the contract. */
public final class Limits {
    /** Largest event, as a body, a message, or an element of a bulk. */
    public static final int EVENT_BYTES = 1_048_576;

    /** Largest body or message of a bulk. */
    public static final int BULK_BYTES = 16_777_216;

    /** Most events of a bulk. */
    public static final int BULK_EVENTS = 10_000;

    /** Most entities of an event. */
    public static final int ENTITIES = 1_000;

    /** Maximum depth of {@code updatedAttributes}, itself being level 1. */
    public static final int ATTRIBUTE_DEPTH = 32;

    /** Longest text of a number in {@code updatedAttributes}. */
    public static final int NUMBER_CHARACTERS = 1_100;

    /** Largest absolute exponent of a number in {@code updatedAttributes}. */
    public static final int NUMBER_EXPONENT = 1_100;

    private Limits() {}
}

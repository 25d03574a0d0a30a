package io.bakeoff.events.model;

/** The event is durable. */
public enum Stored implements Outcome {
    STORED;

    /** The message of a reply that acknowledges an event. */
    public static final String MESSAGE = "Event processed successfully";
}

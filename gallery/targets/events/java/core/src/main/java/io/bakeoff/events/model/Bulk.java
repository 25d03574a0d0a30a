package io.bakeoff.events.model;

import java.util.List;

/**
 * A bulk of which at least one event is valid.
 *
 * @param events the elements in order, each valid or invalid by itself
 */
public record Bulk(List<Decoded> events) implements DecodedBulk {
    /** An element larger than a single event may be. */
    public static final Problem EVENT_TOO_LARGE =
            Problem.invalid("event: larger than " + Limits.EVENT_BYTES + " bytes");

    private static final String BOUNDS = "events: must hold 1 to " + Limits.BULK_EVENTS + " events";

    /**
     * Applies the rules of a bulk as a whole.
     *
     * @param events the elements in order; those beyond the limit may be missing
     * @param count the number of all elements
     */
    public static DecodedBulk of(List<Decoded> events, int count) {
        if (count == 0) {
            return Problem.invalid(BOUNDS);
        }
        if (count > Limits.BULK_EVENTS) {
            return Problem.tooLarge(BOUNDS);
        }
        if (events.get(0) instanceof Problem first && events.stream().noneMatch(Event.class::isInstance)) {
            return Problem.invalid("0 of " + count + " events processed; event 0: " + first.message());
        }
        return new Bulk(events);
    }
}

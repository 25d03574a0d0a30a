package io.bakeoff.events.model;

import java.util.List;

/**
 * The part of a valid event that is stored.
 *
 * @param entities what to merge into the table, all or none, in this order; at least one
 * @param bytes estimated memory
 */
public record Event(List<Entity> entities, int bytes) implements Decoded {
    /** Estimated memory of an event beside its entities: the event, its list, its queue entry and its acknowledgement. */
    private static final int OBJECT_BYTES = 128;

    /** An event that updates {@code entities}. */
    public Event(List<Entity> entities) {
        this(entities, OBJECT_BYTES + entities.stream().mapToInt(Entity::bytes).sum());
    }
}

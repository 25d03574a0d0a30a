package io.bakeoff.events.model;

import java.util.List;

/**
 * A valid event: the part of it that is stored.
 *
 * @param entities what to merge into the table, all or none, in this order; at least one
 * @param bytes what it costs to keep in memory
 */
public record Event(List<Entity> entities, int bytes) implements Decoded {
    /** What an event costs beside its entities: itself, its list, its place in a queue, and who waits for it. */
    private static final int OBJECT_BYTES = 128;

    /** An event that updates {@code entities}. */
    public Event(List<Entity> entities) {
        this(entities, OBJECT_BYTES + entities.stream().mapToInt(Entity::bytes).sum());
    }
}

package io.bakeoff.events.model;

import java.util.List;

/**
 * A valid event: the part of it that is stored.
 *
 * @param entities what to merge into the table, all or none, in this order; at least one
 * @param bytes bytes of text that it holds: what it costs to keep in memory and to send to the database
 */
public record Event(List<Entity> entities, int bytes) implements Decoded {
    /** An event that updates {@code entities}. */
    public Event(List<Entity> entities) {
        this(entities, entities.stream().mapToInt(Entity::bytes).sum());
    }
}

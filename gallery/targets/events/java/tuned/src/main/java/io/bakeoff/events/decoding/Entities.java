package io.bakeoff.events.decoding;

import io.bakeoff.events.model.Limits;
import java.util.ArrayList;
import java.util.List;

/** The array of entities as decoded, before validation. Elements beyond the limit are counted but not kept. */
public final class Entities implements Field {
    private final List<Field> kept = new ArrayList<>(2);
    private int count;

    /** Adds the next element. */
    public void add(Field entity) {
        count++;
        if (count <= Limits.ENTITIES) {
            kept.add(entity);
        }
    }

    /** Number of elements. */
    public int count() {
        return count;
    }

    /** The first elements, up to the limit of an event. */
    public List<Field> kept() {
        return kept;
    }
}

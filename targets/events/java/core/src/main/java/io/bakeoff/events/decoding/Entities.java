package io.bakeoff.events.decoding;

import io.bakeoff.events.model.Limits;
import java.util.ArrayList;
import java.util.List;

/** The array of entities as a decoder found it. One that is too long is counted to its end, not kept. */
public final class Entities implements Field {
    private final List<Field> kept = new ArrayList<>(2);
    private int count;

    /** Adds what the next element holds. */
    public void add(Field entity) {
        count++;
        if (count <= Limits.ENTITIES) {
            kept.add(entity);
        }
    }

    /** How many there are. */
    public int count() {
        return count;
    }

    /** The first ones, as many as an event may have. */
    public List<Field> kept() {
        return kept;
    }
}

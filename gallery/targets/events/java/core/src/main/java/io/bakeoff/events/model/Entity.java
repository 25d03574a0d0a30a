package io.bakeoff.events.model;

/**
 * One update of one entity.
 *
 * @param key which entity
 * @param attributes JSON text of an object in UTF-8, without white space around it
 */
// Not copied: entities are immutable by convention, and their text is sent to the database unchanged.
@SuppressWarnings("ArrayRecordComponent")
public record Entity(Key key, byte[] attributes) {
    /** Estimated memory of an entity beside its texts: four objects and their references. */
    private static final int OBJECT_BYTES = 128;

    /** Estimated memory, in bytes. */
    public int bytes() {
        return OBJECT_BYTES + key.text().length + attributes.length;
    }
}

package io.bakeoff.events.model;

/**
 * One update of one entity.
 *
 * @param key which entity
 * @param attributes JSON text of an object in UTF-8, without white space around it
 */
// An array, not a copy: entities are values by convention here, and their text goes to the database as it is.
@SuppressWarnings("ArrayRecordComponent")
public record Entity(Key key, byte[] attributes) {
    /** What an entity costs beside its texts: four objects, their places in lists, and the key's in a set. */
    private static final int OBJECT_BYTES = 128;

    /** What it costs to keep in memory. */
    public int bytes() {
        return OBJECT_BYTES + key.text().length + attributes.length;
    }
}

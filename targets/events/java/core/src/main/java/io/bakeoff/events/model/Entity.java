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
    /** Bytes of text that it holds. */
    public int bytes() {
        return key.text().length + attributes.length;
    }
}

package io.bakeoff.events.decoding;

/**
 * The decoded value of a field.
 *
 * <p>A decoder reads a message to its end before it reports anything, because syntax errors come first. Then the first
 * broken rule in the contract's order is reported, not the first in the message. So decoders only record what they
 * find; {@link Validation} decides.
 */
public sealed interface Field
        permits NoValue, Text, Attributes, EventDraft, EventDraft.Header, EventDraft.Body, Entities, EventDraft.Entity {
    /** Records the value of a member of an object in which duplicate names are an error. */
    default Field put(Field found) {
        return this == NoValue.ABSENT ? found : NoValue.DUPLICATE;
    }
}

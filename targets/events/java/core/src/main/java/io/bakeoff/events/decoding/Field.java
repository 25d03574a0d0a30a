package io.bakeoff.events.decoding;

/**
 * What stands where a field belongs.
 *
 * <p>A decoder must read a message to its end before it may report anything, for broken syntax comes first, and must
 * then report the first broken rule in the contract's order, not in the order of the message. So decoders only note
 * what they found; {@link Validation} decides.
 */
public sealed interface Field permits Gap, Text, Attributes, EventDraft, HeaderDraft, BodyDraft, Entities, EntityDraft {
    /** Notes what stands beside a name of an object in which no name may come twice. */
    default Field put(Field found) {
        return this == Gap.ABSENT ? found : Gap.DUPLICATE;
    }
}

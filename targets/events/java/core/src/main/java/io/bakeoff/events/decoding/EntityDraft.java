package io.bakeoff.events.decoding;

/** One of the entities as a decoder found it. */
public final class EntityDraft implements Field {
    public Field entityType = Gap.ABSENT;
    public Field entityId = Gap.ABSENT;
    public Field updatedAttributes = Gap.ABSENT;
}

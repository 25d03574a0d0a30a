package io.bakeoff.events.decoding;

/** {@code eventBody} as a decoder found it. */
public final class BodyDraft implements Field {
    public Field entities = Gap.ABSENT;
}

package io.bakeoff.events.decoding;

/** An event as a decoder found it. */
public final class EventDraft implements Field {
    public Field header = Gap.ABSENT;
    public Field body = Gap.ABSENT;
}

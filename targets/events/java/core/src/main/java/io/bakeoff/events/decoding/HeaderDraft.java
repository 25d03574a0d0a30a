package io.bakeoff.events.decoding;

/** {@code eventHeader} as a decoder found it. */
public final class HeaderDraft implements Field {
    public Field uuid = Gap.ABSENT;
    public Field eventName = Gap.ABSENT;
    public Field createdDate = Gap.ABSENT;
    public Field savedDate = Gap.ABSENT;
    public Field eventType = Gap.ABSENT;
}

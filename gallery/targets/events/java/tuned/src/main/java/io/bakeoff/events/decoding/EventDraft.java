package io.bakeoff.events.decoding;

/** An event as decoded, before validation. */
public final class EventDraft implements Field {
    public Field header = NoValue.ABSENT;
    public Field body = NoValue.ABSENT;

    /** {@code eventHeader}. */
    public static final class Header implements Field {
        public Field uuid = NoValue.ABSENT;
        public Field eventName = NoValue.ABSENT;
        public Field createdDate = NoValue.ABSENT;
        public Field savedDate = NoValue.ABSENT;
        public Field eventType = NoValue.ABSENT;
    }

    /** {@code eventBody}. */
    public static final class Body implements Field {
        public Field entities = NoValue.ABSENT;
    }

    /** One entity. */
    public static final class Entity implements Field {
        public Field entityType = NoValue.ABSENT;
        public Field entityId = NoValue.ABSENT;
        public Field updatedAttributes = NoValue.ABSENT;
    }
}

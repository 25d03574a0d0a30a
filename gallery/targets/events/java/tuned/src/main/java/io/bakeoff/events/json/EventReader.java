package io.bakeoff.events.json;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bakeoff.events.decoding.Attributes;
import io.bakeoff.events.decoding.Entities;
import io.bakeoff.events.decoding.Escapes;
import io.bakeoff.events.decoding.EventDraft;
import io.bakeoff.events.decoding.Field;
import io.bakeoff.events.decoding.NoValue;
import io.bakeoff.events.decoding.Text;

/** Reads events before validation. A value of the wrong type is still read to its end. */
final class EventReader {
    private static final byte[] EVENT_HEADER = "eventHeader".getBytes(US_ASCII);
    private static final byte[] EVENT_BODY = "eventBody".getBytes(US_ASCII);
    private static final byte[] UUID = "uuid".getBytes(US_ASCII);
    private static final byte[] EVENT_NAME = "eventName".getBytes(US_ASCII);
    private static final byte[] CREATED_DATE = "createdDate".getBytes(US_ASCII);
    private static final byte[] SAVED_DATE = "savedDate".getBytes(US_ASCII);
    private static final byte[] EVENT_TYPE = "eventType".getBytes(US_ASCII);
    private static final byte[] ENTITIES = "entities".getBytes(US_ASCII);
    private static final byte[] ENTITY_TYPE = "entityType".getBytes(US_ASCII);
    private static final byte[] ENTITY_ID = "entityId".getBytes(US_ASCII);
    private static final byte[] UPDATED_ATTRIBUTES = "updatedAttributes".getBytes(US_ASCII);

    private final JsonReader reader;

    EventReader(JsonReader reader) {
        this.reader = reader;
    }

    /** An {@link EventDraft}, or the value found instead. */
    Field event() throws SyntaxException {
        if (reader.peek() != '{') {
            return otherKind();
        }
        EventDraft event = new EventDraft();
        for (Text name = reader.firstMember(); name != null; name = reader.nextMember()) {
            Text member = plain(name);
            if (member.is(EVENT_HEADER)) {
                event.header = event.header.put(header());
            } else if (member.is(EVENT_BODY)) {
                event.body = event.body.put(body());
            } else {
                reader.walk(ValueVisitor.NONE);
            }
        }
        return event;
    }

    private Field header() throws SyntaxException {
        if (reader.peek() != '{') {
            return otherKind();
        }
        EventDraft.Header header = new EventDraft.Header();
        for (Text name = reader.firstMember(); name != null; name = reader.nextMember()) {
            Text member = plain(name);
            if (member.is(UUID)) {
                header.uuid = header.uuid.put(scalar());
            } else if (member.is(EVENT_NAME)) {
                header.eventName = header.eventName.put(scalar());
            } else if (member.is(CREATED_DATE)) {
                header.createdDate = header.createdDate.put(scalar());
            } else if (member.is(SAVED_DATE)) {
                header.savedDate = header.savedDate.put(scalar());
            } else if (member.is(EVENT_TYPE)) {
                header.eventType = header.eventType.put(scalar());
            } else {
                reader.walk(ValueVisitor.NONE);
            }
        }
        return header;
    }

    private Field body() throws SyntaxException {
        if (reader.peek() != '{') {
            return otherKind();
        }
        EventDraft.Body body = new EventDraft.Body();
        for (Text name = reader.firstMember(); name != null; name = reader.nextMember()) {
            if (plain(name).is(ENTITIES)) {
                body.entities = body.entities.put(entities());
            } else {
                reader.walk(ValueVisitor.NONE);
            }
        }
        return body;
    }

    private Field entities() throws SyntaxException {
        if (reader.peek() != '[') {
            return otherKind();
        }
        Entities entities = new Entities();
        for (boolean more = reader.firstElement(); more; more = reader.nextElement()) {
            entities.add(entity());
        }
        return entities;
    }

    private Field entity() throws SyntaxException {
        if (reader.peek() != '{') {
            return otherKind();
        }
        EventDraft.Entity entity = new EventDraft.Entity();
        for (Text name = reader.firstMember(); name != null; name = reader.nextMember()) {
            Text member = plain(name);
            if (member.is(ENTITY_TYPE)) {
                entity.entityType = entity.entityType.put(scalar());
            } else if (member.is(ENTITY_ID)) {
                entity.entityId = entity.entityId.put(scalar());
            } else if (member.is(UPDATED_ATTRIBUTES)) {
                entity.updatedAttributes = entity.updatedAttributes.put(attributes());
            } else {
                reader.walk(ValueVisitor.NONE);
            }
        }
        return entity;
    }

    private Field attributes() throws SyntaxException {
        if (reader.peek() != '{') {
            return otherKind();
        }
        int start = reader.position();
        StorabilityCheck check = new StorabilityCheck();
        reader.walk(check);
        return new Attributes(reader.bytesFrom(start), check.unstorable());
    }

    private Field scalar() throws SyntaxException {
        int next = reader.peek();
        if (next == '"') {
            return reader.string();
        }
        if (next == '-' || next >= '0' && next <= '9') {
            Text integer = reader.integer();
            return integer == null ? NoValue.WRONG_KIND : integer;
        }
        return otherKind();
    }

    private Field otherKind() throws SyntaxException {
        if (reader.peek() == 'n') {
            reader.nothing();
            return NoValue.NULL;
        }
        reader.walk(ValueVisitor.NONE);
        return NoValue.WRONG_KIND;
    }

    /** A name without escape sequences. A name that cannot be stored matches no field and is left as it is. */
    private static Text plain(Text name) {
        return name.form() == Text.Form.ESCAPED && Escapes.unstorable(name) == null ? Escapes.unescape(name) : name;
    }
}

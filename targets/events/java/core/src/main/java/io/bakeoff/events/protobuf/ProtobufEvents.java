package io.bakeoff.events.protobuf;

import io.bakeoff.events.decoding.BodyDraft;
import io.bakeoff.events.decoding.Entities;
import io.bakeoff.events.decoding.EntityDraft;
import io.bakeoff.events.decoding.EventDraft;
import io.bakeoff.events.decoding.Field;
import io.bakeoff.events.decoding.Gap;
import io.bakeoff.events.decoding.HeaderDraft;
import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.decoding.Validation;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code EventRequest} and {@code EventBatchRequest} to events.
 *
 * <p>Read straight from the wire: the attributes become JSON text without a tree of {@code Value}s in between, and
 * messages may nest to the contract's 32 levels, which is where the usual recursion limit of 100 ends. Tests hold it
 * against the generated classes.
 */
public final class ProtobufEvents {
    private static final Problem NOT_A_MESSAGE = Problem.invalid("body: not a valid message");

    private ProtobufEvents() {}

    /** The event that an {@code EventRequest} holds. */
    public static Decoded event(byte[] message) {
        try {
            return Validation.validate(draft(new WireReader(message, 0, message.length)));
        } catch (MalformedException malformed) {
            return NOT_A_MESSAGE;
        }
    }

    /** Whether that is what a decoder says of bytes that are no message, which ends a stream. */
    public static boolean isMalformed(Decoded decoded) {
        return decoded == NOT_A_MESSAGE;
    }

    /** The events that an {@code EventBatchRequest} holds, each by itself right or wrong. */
    public static DecodedBulk bulk(byte[] message) {
        List<Decoded> events = new ArrayList<>();
        int count = 0;
        try {
            WireReader fields = new WireReader(message, 0, message.length);
            while (fields.next()) {
                if (fields.isBytes(1)) {
                    EventDraft draft = draft(fields.message());
                    // What comes after the last that is allowed is read for its syntax only.
                    if (++count <= Limits.BULK_EVENTS) {
                        events.add(element(draft, fields.length()));
                    }
                }
            }
        } catch (MalformedException malformed) {
            return NOT_A_MESSAGE;
        }
        return Bulk.of(events, count);
    }

    private static Decoded element(EventDraft draft, int size) {
        return size > Limits.EVENT_BYTES ? Bulk.EVENT_TOO_LARGE : Validation.validate(draft);
    }

    private static EventDraft draft(WireReader fields) throws MalformedException {
        EventDraft event = new EventDraft();
        while (fields.next()) {
            if (fields.isBytes(1)) {
                event.header = header(event.header, fields.message());
            } else if (fields.isBytes(2)) {
                event.body = body(event.body, fields.message());
            }
        }
        return event;
    }

    /** Parts of a message are merged. */
    private static HeaderDraft header(Field before, WireReader fields) throws MalformedException {
        HeaderDraft header = before instanceof HeaderDraft part ? part : new HeaderDraft();
        while (fields.next()) {
            if (fields.wireType() != WireReader.BYTES) {
                continue;
            }
            switch (fields.number()) {
                case 1 -> header.uuid = string(fields);
                case 2 -> header.eventName = string(fields);
                case 3 -> header.createdDate = string(fields);
                case 4 -> header.savedDate = string(fields);
                case 5 -> header.eventType = string(fields);
                default -> {}
            }
        }
        return header;
    }

    private static BodyDraft body(Field before, WireReader fields) throws MalformedException {
        BodyDraft body = before instanceof BodyDraft part ? part : new BodyDraft();
        Entities entities = body.entities instanceof Entities part ? part : new Entities();
        body.entities = entities;
        while (fields.next()) {
            if (fields.isBytes(1)) {
                entities.add(entity(fields.message(), fields.length()));
            }
        }
        return body;
    }

    private static EntityDraft entity(WireReader fields, int size) throws MalformedException {
        EntityDraft entity = new EntityDraft();
        AttributesReader attributes = new AttributesReader(size);
        while (fields.next()) {
            if (fields.isBytes(1)) {
                entity.entityType = string(fields);
            } else if (fields.isBytes(2)) {
                entity.entityId = string(fields);
            } else if (fields.isBytes(3)) {
                attributes.entry(fields.message(), 2);
            }
        }
        entity.updatedAttributes = attributes.finish();
        return entity;
    }

    /** proto3 cannot tell an empty string from none; nor does the contract. */
    private static Field string(WireReader fields) throws MalformedException {
        Text text = fields.text();
        return text.length() == 0 ? Gap.ABSENT : text;
    }
}

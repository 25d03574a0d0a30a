package io.bakeoff.events.protobuf;

import io.bakeoff.events.decoding.Entities;
import io.bakeoff.events.decoding.EventDraft;
import io.bakeoff.events.decoding.Field;
import io.bakeoff.events.decoding.NoValue;
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
 * Decodes {@code EventRequest} and {@code EventBatchRequest}.
 *
 * <p>Reads the wire format directly: attributes become JSON text without a tree of {@code Value}s, and messages may nest
 * to the contract's 32 levels, beyond protobuf's default recursion limit of 100. Tests compare it with the generated
 * classes.
 */
public final class ProtobufEvents {
    private static final Problem NOT_A_MESSAGE = Problem.invalid("body: not a valid message");

    private ProtobufEvents() {}

    /** Decodes an {@code EventRequest}. */
    public static Decoded event(byte[] message) {
        try {
            return Validation.validate(draft(new WireReader(message, 0, message.length)));
        } catch (MalformedException malformed) {
            return NOT_A_MESSAGE;
        }
    }

    /** Whether the bytes were not a message, which ends a stream. */
    public static boolean isMalformed(Decoded decoded) {
        return decoded == NOT_A_MESSAGE;
    }

    /** Decodes an {@code EventBatchRequest}, whose events are each valid or invalid by themselves. */
    public static DecodedBulk bulk(byte[] message) {
        List<Decoded> events = new ArrayList<>();
        int count = 0;
        try {
            WireReader fields = new WireReader(message, 0, message.length);
            while (fields.next()) {
                if (fields.isBytes(1)) {
                    EventDraft draft = draft(fields.message());
                    // Events beyond the limit are only checked for syntax.
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

    /** Merges parts of a message, as the wire format requires. */
    private static EventDraft.Header header(Field before, WireReader fields) throws MalformedException {
        EventDraft.Header header = before instanceof EventDraft.Header part ? part : new EventDraft.Header();
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

    private static EventDraft.Body body(Field before, WireReader fields) throws MalformedException {
        EventDraft.Body body = before instanceof EventDraft.Body part ? part : new EventDraft.Body();
        Entities entities = body.entities instanceof Entities part ? part : new Entities();
        body.entities = entities;
        while (fields.next()) {
            if (fields.isBytes(1)) {
                entities.add(entity(fields.message(), fields.length()));
            }
        }
        return body;
    }

    private static EventDraft.Entity entity(WireReader fields, int size) throws MalformedException {
        EventDraft.Entity entity = new EventDraft.Entity();
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

    /** proto3 does not distinguish an empty string from a missing one, nor does the contract. */
    private static Field string(WireReader fields) throws MalformedException {
        Text text = fields.text();
        return text.length() == 0 ? NoValue.ABSENT : text;
    }
}

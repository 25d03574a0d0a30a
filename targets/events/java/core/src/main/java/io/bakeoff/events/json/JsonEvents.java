package io.bakeoff.events.json;

import io.bakeoff.events.decoding.EventDraft;
import io.bakeoff.events.decoding.Field;
import io.bakeoff.events.decoding.Utf8;
import io.bakeoff.events.decoding.Validation;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import java.util.ArrayList;
import java.util.List;

/**
 * JSON bodies to events.
 *
 * <p>The parser is our own because the contract asks for what no general one gives: syntax errors before all others
 * wherever they stand, wrong kinds and duplicates by path, lone surrogates and numbers out of range told apart from
 * broken syntax, and the attributes as the text they came in, looked at once. Tests hold its grammar against Jackson.
 */
public final class JsonEvents {
    private static final Problem NOT_UTF8 = Problem.invalid("body: not valid UTF-8");
    private static final Problem NOT_JSON = Problem.invalid("body: not valid JSON");
    private static final Problem NOT_AN_OBJECT = Problem.invalid("body: must be an object");
    private static final Problem NOT_AN_ARRAY = Problem.invalid("body: must be an array");
    private static final Problem ELEMENT_NOT_AN_OBJECT = Problem.invalid("event: must be an object");

    private JsonEvents() {}

    /** The event that a body holds. */
    public static Decoded event(byte[] body) {
        if (!Utf8.isValid(body, 0, body.length)) {
            return NOT_UTF8;
        }
        JsonReader reader = new JsonReader(body);
        try {
            Field field = new EventReader(reader).event();
            reader.end();
            return field instanceof EventDraft draft ? Validation.validate(draft) : NOT_AN_OBJECT;
        } catch (SyntaxException notJson) {
            return NOT_JSON;
        }
    }

    /** The events that a body holds, each by itself right or wrong. */
    public static DecodedBulk bulk(byte[] body) {
        if (!Utf8.isValid(body, 0, body.length)) {
            return NOT_UTF8;
        }
        JsonReader reader = new JsonReader(body);
        try {
            boolean isArray = reader.peek() == '[';
            List<Decoded> events = new ArrayList<>();
            int count = isArray ? elements(reader, events) : 0;
            if (!isArray) {
                reader.walk(Inspector.NONE);
            }
            reader.end();
            return isArray ? Bulk.of(events, count) : NOT_AN_ARRAY;
        } catch (SyntaxException notJson) {
            return NOT_JSON;
        }
    }

    /** Reads what comes after the last element that is allowed for its syntax only; the number of all. */
    private static int elements(JsonReader reader, List<Decoded> events) throws SyntaxException {
        EventReader eventReader = new EventReader(reader);
        int count = 0;
        for (boolean more = reader.firstElement(); more; more = reader.nextElement()) {
            count++;
            if (count > Limits.BULK_EVENTS) {
                reader.walk(Inspector.NONE);
            } else {
                events.add(element(reader, eventReader));
            }
        }
        return count;
    }

    private static Decoded element(JsonReader reader, EventReader eventReader) throws SyntaxException {
        reader.peek();
        int start = reader.position();
        Field field = eventReader.event();
        if (reader.position() - start > Limits.EVENT_BYTES) {
            return Bulk.EVENT_TOO_LARGE;
        }
        return field instanceof EventDraft draft ? Validation.validate(draft) : ELEMENT_NOT_AN_OBJECT;
    }
}

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
 * Decodes events from JSON.
 *
 * <p>The strict profile of the contract requires a custom parser: syntax errors take precedence wherever they occur,
 * wrong types and duplicate names are reported by path, lone surrogates and numbers out of range are distinguished from
 * invalid syntax, and the attributes keep their text. One pass does all of it. Tests compare its grammar with Jackson's.
 */
public final class JsonEvents {
    private static final Problem NOT_UTF8 = Problem.invalid("body: not valid UTF-8");
    private static final Problem NOT_JSON = Problem.invalid("body: not valid JSON");
    private static final Problem NOT_AN_OBJECT = Problem.invalid("body: must be an object");
    private static final Problem NOT_AN_ARRAY = Problem.invalid("body: must be an array");
    private static final Problem ELEMENT_NOT_AN_OBJECT = Problem.invalid("event: must be an object");

    private JsonEvents() {}

    /** Decodes one event. */
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

    /** Decodes an array of events, each valid or invalid by itself. */
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
                reader.walk(ValueVisitor.NONE);
            }
            reader.end();
            return isArray ? Bulk.of(events, count) : NOT_AN_ARRAY;
        } catch (SyntaxException notJson) {
            return NOT_JSON;
        }
    }

    /** Elements beyond the limit are only checked for syntax. Returns the number of all elements. */
    private static int elements(JsonReader reader, List<Decoded> events) throws SyntaxException {
        EventReader eventReader = new EventReader(reader);
        int count = 0;
        for (boolean more = reader.firstElement(); more; more = reader.nextElement()) {
            count++;
            if (count > Limits.BULK_EVENTS) {
                reader.walk(ValueVisitor.NONE);
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

package io.bakeoff.events.protobuf;

import io.bakeoff.events.decoding.Attributes;
import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.decoding.Unstorable;
import io.bakeoff.events.model.Limits;
import org.jspecify.annotations.Nullable;

/** Converts {@code map<string, google.protobuf.Value>} to JSON text without an intermediate tree. */
final class AttributesReader {
    private static final Text NO_KEY = Text.plain(new byte[0]);

    /** The kind of a {@code Value} so far. The last one set wins, but parts of a struct or list are merged. */
    private enum Kind {
        UNSET,
        SCALAR,
        STRUCT,
        LIST
    }

    private final JsonText json;
    private @Nullable Unstorable unstorable;

    /** A reader of one entity's attributes, whose text is expected to fit {@code sizeHint} bytes. */
    AttributesReader(int sizeHint) {
        json = new JsonText(sizeHint);
        json.write('{');
    }

    Attributes finish() {
        json.write('}');
        return new Attributes(json.toBytes(), unstorable);
    }

    /** Adds a map entry {@code {1: key, 2: value}}. Objects and arrays of its value have level {@code depth}. */
    void entry(WireReader entry, int depth) throws MalformedException {
        int entryStart = entry.position();
        // The key may follow the value, or be missing.
        Text key = NO_KEY;
        while (entry.next()) {
            if (entry.isBytes(1)) {
                key = entry.text();
            }
        }
        separate('{');
        string(key);
        json.write(':');
        values(entry.again(entryStart), 2, depth);
    }

    /** Writes the {@code Value} of the fields with this number, which may be split into parts. */
    private void values(WireReader parts, int number, int depth) throws MalformedException {
        int start = json.length();
        Kind kind = Kind.UNSET;
        while (parts.next()) {
            if (parts.isBytes(number)) {
                kind = part(parts.message(), kind, start, depth);
            }
        }
        finishValue(kind);
    }

    private Kind part(WireReader value, Kind before, int start, int depth) throws MalformedException {
        Kind kind = before;
        while (value.next()) {
            kind = kind(value, kind, start, depth);
        }
        return kind;
    }

    private void finishValue(Kind kind) {
        if (kind == Kind.UNSET) {
            note(Unstorable.NO_KIND);
            json.write("null");
        }
    }

    private Kind kind(WireReader value, Kind kind, int start, int depth) throws MalformedException {
        switch (value.number() << 3 | value.wireType()) {
            case 1 << 3 | WireReader.VARINT -> scalar(start, "null");
            case 2 << 3 | WireReader.FIXED64 -> number(start, Double.longBitsToDouble(value.scalar()));
            case 3 << 3 | WireReader.BYTES -> {
                Text text = value.text();
                json.cut(start);
                string(text);
            }
            case 4 << 3 | WireReader.VARINT -> scalar(start, value.scalar() == 0 ? "false" : "true");
            case 5 << 3 | WireReader.BYTES -> {
                open(start, kind == Kind.STRUCT, '{', depth);
                members(value.message(), depth);
                json.write('}');
                return Kind.STRUCT;
            }
            case 6 << 3 | WireReader.BYTES -> {
                open(start, kind == Kind.LIST, '[', depth);
                elements(value.message(), depth);
                json.write(']');
                return Kind.LIST;
            }
            default -> {
                return kind;
            }
        }
        return Kind.SCALAR;
    }

    /** Opens an object or array, or reopens the one just written. */
    private void open(int start, boolean again, char bracket, int depth) {
        if (again) {
            json.cut(json.length() - 1);
        } else {
            json.cut(start);
            json.write(bracket);
        }
        if (depth > Limits.ATTRIBUTE_DEPTH) {
            note(Unstorable.DEPTH);
        }
    }

    /** Nothing is written below the deepest level, so that a malicious message cannot exhaust the stack. */
    private void members(WireReader struct, int depth) throws MalformedException {
        if (depth > Limits.ATTRIBUTE_DEPTH) {
            DeepValueCheck.checkStruct(struct);
        }
        while (struct.next()) {
            if (struct.isBytes(1)) {
                entry(struct.message(), depth + 1);
            }
        }
    }

    private void elements(WireReader list, int depth) throws MalformedException {
        if (depth > Limits.ATTRIBUTE_DEPTH) {
            DeepValueCheck.checkList(list);
        }
        while (list.next()) {
            if (list.isBytes(1)) {
                separate('[');
                finishValue(part(list.message(), Kind.UNSET, json.length(), depth + 1));
            }
        }
    }

    private void scalar(int start, String literal) {
        json.cut(start);
        json.write(literal);
    }

    private void number(int start, double number) {
        if (!Double.isFinite(number)) {
            note(Unstorable.NUMBER_RANGE);
        }
        scalar(start, Double.isFinite(number) ? ShortestDecimal.of(number) : "null");
    }

    private void string(Text text) {
        if (!json.writeString(text)) {
            note(Unstorable.NUL);
        }
    }

    /** Writes a comma, unless the bracket has just been opened. */
    private void separate(char bracket) {
        if (json.last() != bracket) {
            json.write(',');
        }
    }

    private void note(Unstorable found) {
        if (unstorable == null) {
            unstorable = found;
        }
    }
}

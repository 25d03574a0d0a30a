package io.bakeoff.events.protobuf;

import io.bakeoff.events.decoding.Attributes;
import io.bakeoff.events.decoding.Flaw;
import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.model.Limits;
import org.jspecify.annotations.Nullable;

/** {@code map<string, google.protobuf.Value>} to the JSON text of an object, without a tree in between. */
final class AttributesReader {
    private static final Text NO_KEY = Text.plain(new byte[0]);

    /** What a {@code Value} holds so far. The last kind set counts, but a struct or list that comes in parts is one. */
    private enum Kind {
        UNSET,
        SCALAR,
        STRUCT,
        LIST
    }

    private final JsonText json;
    private @Nullable Flaw flaw;

    /** The attributes of one entity; their text will hardly be longer than {@code sizeHint}. */
    AttributesReader(int sizeHint) {
        json = new JsonText(sizeHint);
        json.write('{');
    }

    Attributes finish() {
        json.write('}');
        return new Attributes(json.toBytes(), flaw);
    }

    /** Adds an entry of a map: {@code {1: key, 2: value}}. Its value's objects and arrays are of level {@code depth}. */
    void entry(WireReader entry, int depth) throws MalformedException {
        int entryStart = entry.position();
        // The key may come after the value, or not at all.
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

    /** Writes the one {@code Value} that fields of this number hold, maybe in parts. */
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
            note(Flaw.NO_KIND);
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

    /** Opens an object or array, or opens again the one that was written there. */
    private void open(int start, boolean again, char bracket, int depth) {
        if (again) {
            json.cut(json.length() - 1);
        } else {
            json.cut(start);
            json.write(bracket);
        }
        if (depth > Limits.ATTRIBUTE_DEPTH) {
            note(Flaw.DEPTH);
        }
    }

    /** Nothing is written below the deepest level, so that a hostile message cannot use up the stack. */
    private void members(WireReader struct, int depth) throws MalformedException {
        if (depth > Limits.ATTRIBUTE_DEPTH) {
            DeepValues.checkStruct(struct);
        }
        while (struct.next()) {
            if (struct.isBytes(1)) {
                entry(struct.message(), depth + 1);
            }
        }
    }

    private void elements(WireReader list, int depth) throws MalformedException {
        if (depth > Limits.ATTRIBUTE_DEPTH) {
            DeepValues.checkList(list);
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
            note(Flaw.NUMBER_RANGE);
        }
        scalar(start, Double.isFinite(number) ? ShortestDecimal.of(number) : "null");
    }

    private void string(Text text) {
        if (!json.writeString(text)) {
            note(Flaw.NUL);
        }
    }

    /** A comma, unless the bracket has just been opened. */
    private void separate(char bracket) {
        if (json.last() != bracket) {
            json.write(',');
        }
    }

    private void note(Flaw found) {
        if (flaw == null) {
            flaw = found;
        }
    }
}

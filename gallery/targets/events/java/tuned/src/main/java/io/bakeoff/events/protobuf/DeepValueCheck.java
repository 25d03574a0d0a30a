package io.bakeoff.events.protobuf;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Checks the syntax of values nested too deep to be stored: malformed messages take precedence over broken rules.
 *
 * <p>Without recursion, because a malicious message may nest as deep as it is long.
 */
final class DeepValueCheck {
    private enum Type {
        STRUCT,
        ENTRY,
        LIST,
        VALUE
    }

    private record Open(WireReader fields, Type type) {}

    private DeepValueCheck() {}

    static void checkStruct(WireReader struct) throws MalformedException {
        check(new Open(struct, Type.STRUCT));
    }

    static void checkList(WireReader list) throws MalformedException {
        check(new Open(list, Type.LIST));
    }

    private static void check(Open outermost) throws MalformedException {
        Deque<Open> open = new ArrayDeque<>();
        open.push(outermost);
        while (!open.isEmpty()) {
            Open innermost = open.peek();
            if (innermost.fields.next()) {
                Type inside = inside(innermost.type, innermost.fields);
                if (inside != null) {
                    open.push(new Open(innermost.fields.message(), inside));
                }
            } else {
                open.pop();
            }
        }
    }

    /** The type of the message in a field, or null if it is none; strings are checked immediately. */
    private static @Nullable Type inside(Type type, WireReader field) throws MalformedException {
        if (field.wireType() != WireReader.BYTES) {
            return null;
        }
        return switch (type) {
            case STRUCT -> field.number() == 1 ? Type.ENTRY : null;
            case LIST -> field.number() == 1 ? Type.VALUE : null;
            case ENTRY -> field.number() == 1 ? string(field) : field.number() == 2 ? Type.VALUE : null;
            case VALUE ->
                switch (field.number()) {
                    case 3 -> string(field);
                    case 5 -> Type.STRUCT;
                    case 6 -> Type.LIST;
                    default -> null;
                };
        };
    }

    private static @Nullable Type string(WireReader field) throws MalformedException {
        field.text();
        return null;
    }
}

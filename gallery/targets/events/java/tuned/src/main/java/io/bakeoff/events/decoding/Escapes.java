package io.bakeoff.events.decoding;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Escape sequences in a JSON string whose syntax has been checked. */
public final class Escapes {
    private static final int NOT_A_UNIT = -1;

    private Escapes() {}

    /** Why the content of a string cannot be stored; null when it can. */
    public static @Nullable Unstorable unstorable(Text inside) {
        for (int position = 0; position < inside.length(); position++) {
            if (inside.at(position) != '\\') {
                continue;
            }
            int unit = codeUnit(inside, position);
            if (unit == 0) {
                return Unstorable.NUL;
            }
            if (unit >= Character.MIN_SURROGATE && unit <= Character.MAX_SURROGATE) {
                if (!isPair(unit, codeUnit(inside, position + 6))) {
                    return Unstorable.LONE_SURROGATE;
                }
                position += 6;
            }
            position += unit == NOT_A_UNIT ? 1 : 5;
        }
        return null;
    }

    /** The content of a storable string without escape sequences. */
    public static Text unescape(Text inside) {
        StringBuilder text = new StringBuilder(inside.length());
        String escaped = new String(inside.source(), inside.start(), inside.length(), StandardCharsets.UTF_8);
        int position = 0;
        for (int backslash = escaped.indexOf('\\'); backslash >= 0; backslash = escaped.indexOf('\\', position)) {
            text.append(escaped, position, backslash);
            char kind = escaped.charAt(backslash + 1);
            position = backslash + (kind == 'u' ? 6 : 2);
            text.append(kind == 'u' ? (char) Integer.parseInt(escaped, backslash + 2, position, 16) : character(kind));
        }
        return Text.plain(
                text.append(escaped, position, escaped.length()).toString().getBytes(StandardCharsets.UTF_8));
    }

    private static char character(char kind) {
        return switch (kind) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> kind;
        };
    }

    private static boolean isPair(int high, int low) {
        return high <= Character.MAX_HIGH_SURROGATE
                && low >= Character.MIN_LOW_SURROGATE
                && low <= Character.MAX_LOW_SURROGATE;
    }

    /** The UTF-16 code unit of the {@code \\uXXXX} at a position, or {@link #NOT_A_UNIT}. */
    private static int codeUnit(Text inside, int position) {
        if (position + 6 > inside.length() || inside.at(position) != '\\' || inside.at(position + 1) != 'u') {
            return NOT_A_UNIT;
        }
        int unit = 0;
        for (int digit = position + 2; digit < position + 6; digit++) {
            unit = unit << 4 | Character.digit(inside.at(digit), 16);
        }
        return unit;
    }
}

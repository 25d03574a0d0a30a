package io.bakeoff.events.json;

import io.bakeoff.events.decoding.Text;
import io.bakeoff.events.model.Limits;
import java.nio.charset.StandardCharsets;

/** Whether a number can be stored: within the range of a double, as the contract requires, and of {@code numeric}. */
final class Numbers {
    /** A shorter literal without an exponent is always within the range of a double. */
    private static final int SAFE_CHARACTERS = 300;

    private Numbers() {}

    /** Whether the nearest double is finite, and zero only if the literal is, and no part exceeds its limit. */
    static boolean isStorable(Text literal) {
        int mantissaEnd = literal.form() == Text.Form.INTEGER ? literal.length() : mantissaEnd(literal);
        if (mantissaEnd == literal.length() && literal.length() < SAFE_CHARACTERS) {
            return true;
        }
        if (literal.length() > Limits.NUMBER_CHARACTERS || !isExponentWithin(literal, mantissaEnd)) {
            return false;
        }
        if (isZero(literal, mantissaEnd)) {
            return true;
        }
        double nearest = Double.parseDouble(
                new String(literal.source(), literal.start(), literal.length(), StandardCharsets.US_ASCII));
        return Double.isFinite(nearest) && nearest != 0;
    }

    private static int mantissaEnd(Text literal) {
        int end = 0;
        while (end < literal.length() && (literal.at(end) | 0x20) != 'e') {
            end++;
        }
        return end;
    }

    private static boolean isExponentWithin(Text literal, int mantissaEnd) {
        int exponent = 0;
        for (int position = mantissaEnd + 1; position < literal.length(); position++) {
            byte character = literal.at(position);
            if (character != '+' && character != '-') {
                exponent = exponent * 10 + character - '0';
            }
            if (exponent > Limits.NUMBER_EXPONENT) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(Text literal, int mantissaEnd) {
        for (int position = 0; position < mantissaEnd; position++) {
            if (literal.at(position) >= '1' && literal.at(position) <= '9') {
                return false;
            }
        }
        return true;
    }
}

package io.bakeoff.events.decoding;

import java.time.YearMonth;

/** Whether a text is a timestamp: RFC 3339, or epoch milliseconds. Timestamps are checked, never stored. */
final class Timestamps {
    /** {@code 2024-01-15T10:30:00}. */
    private static final int DATE_TIME_LENGTH = 19;

    private Timestamps() {}

    /** {@code 2024-01-15T10:30:00Z} with any fraction and offset, or 1 to 15 digits with an optional minus sign. */
    static boolean isTimestamp(Text text) {
        return isRfc3339(text) || isEpochMilliseconds(text);
    }

    /** 1 to 15 digits with an optional minus sign. */
    static boolean isEpochMilliseconds(Text text) {
        int start = text.length() > 0 && text.at(0) == '-' ? 1 : 0;
        int digits = digitsFrom(text, start);
        return digits >= 1 && digits <= 15 && start + digits == text.length();
    }

    private static boolean isRfc3339(Text text) {
        return text.length() > DATE_TIME_LENGTH
                && isDate(text)
                && (text.at(10) | 0x20) == 't'
                && isTime(text)
                && isOffset(text, afterFraction(text));
    }

    private static boolean isDate(Text text) {
        int year = number(text, 0, 4);
        int month = number(text, 5, 2);
        int day = number(text, 8, 2);
        return text.at(4) == '-'
                && text.at(7) == '-'
                && year >= 0
                && month >= 1
                && month <= 12
                && day >= 1
                // Most days exist in every month.
                && (day <= 28 || day <= YearMonth.of(year, month).lengthOfMonth());
    }

    private static boolean isTime(Text text) {
        return isAtMost(23, text, 11)
                && text.at(13) == ':'
                && isAtMost(59, text, 14)
                && text.at(16) == ':'
                && isAtMost(59, text, 17);
    }

    /** Position after the optional fraction; a point without digits is not consumed. */
    private static int afterFraction(Text text) {
        if (text.at(DATE_TIME_LENGTH) != '.') {
            return DATE_TIME_LENGTH;
        }
        int digits = digitsFrom(text, DATE_TIME_LENGTH + 1);
        return digits == 0 ? DATE_TIME_LENGTH : DATE_TIME_LENGTH + 1 + digits;
    }

    private static boolean isOffset(Text text, int start) {
        return switch (text.length() - start) {
            case 1 -> (text.at(start) | 0x20) == 'z';
            case 6 ->
                (text.at(start) == '+' || text.at(start) == '-')
                        && isAtMost(23, text, start + 1)
                        && text.at(start + 3) == ':'
                        && isAtMost(59, text, start + 4);
            default -> false;
        };
    }

    private static boolean isAtMost(int limit, Text text, int start) {
        int number = number(text, start, 2);
        return number >= 0 && number <= limit;
    }

    /** The number at a position, or -1 when there are other characters than digits. */
    private static int number(Text text, int start, int length) {
        int number = 0;
        for (int position = start; position < start + length; position++) {
            int digit = text.at(position) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    private static int digitsFrom(Text text, int start) {
        int end = start;
        while (end < text.length() && text.at(end) >= '0' && text.at(end) <= '9') {
            end++;
        }
        return end - start;
    }
}

package io.bakeoff.events.settings;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.springframework.boot.convert.DurationStyle;

/** Reads and validates single values. */
final class Values {
    /** A number without a unit is no duration. */
    private static final Pattern DURATION = Pattern.compile("0*[1-9]\\d{0,8}(ms|s|m|h)");

    private final Settings.Source source;

    Values(Settings.Source source) {
        this.source = source;
    }

    /** A value, or the default when it is empty. */
    String text(String variable, String otherwise) {
        String value = source.get(variable);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** One of the given choices; the first is the default. */
    <T> T word(String variable, List<T> words) {
        String value = text(variable, words.get(0).toString());
        return words.stream()
                .filter(word -> word.toString().equals(value))
                .findFirst()
                .orElseThrow(() -> unusable(variable, value, oneOf(words)));
    }

    int number(String variable, int otherwise, int least, int greatest) {
        String value = text(variable, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= greatest) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // Reported below, like a number out of range.
        }
        throw unusable(variable, value, "a whole number from " + least + " to " + greatest);
    }

    /** A duration with its unit, more than zero. */
    Duration duration(String variable, Duration otherwise) {
        String value = text(variable, "");
        if (value.isEmpty()) {
            return otherwise;
        }
        if (DURATION.matcher(value).matches()) {
            return DurationStyle.SIMPLE.parse(value);
        }
        throw unusable(variable, value, "a duration such as 5s or 500ms");
    }

    /** An IP address; names are not resolved. */
    InetAddress address(String variable, String otherwise) {
        String value = text(variable, otherwise);
        try {
            return InetAddresses.parse(value);
        } catch (IllegalArgumentException notAnAddress) {
            throw unusable(variable, value, "an IP address such as 127.0.0.1 or ::");
        }
    }

    static SettingException unusable(String variable, String value, String advice) {
        return new SettingException(variable + " is \"" + value + "\": use " + advice);
    }

    /** {@code a, b or c}. */
    private static <T> String oneOf(List<T> words) {
        List<String> names = words.stream().map(Object::toString).toList();
        return String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.get(names.size() - 1);
    }
}

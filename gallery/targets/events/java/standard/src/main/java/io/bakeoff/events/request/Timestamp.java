package io.bakeoff.events.request;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** RFC 3339, or epoch milliseconds as an integer or a text. An empty text counts as missing. */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = Timestamp.Validator.class)
public @interface Timestamp {
    String message() default "must be an RFC 3339 timestamp or epoch milliseconds";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Checks the form by a pattern, and the date and time by {@link OffsetDateTime}. */
    final class Validator implements ConstraintValidator<Timestamp, Object> {
        private static final Pattern EPOCH_MILLISECONDS = Pattern.compile("-?[0-9]{1,15}");
        private static final Pattern RFC_3339 =
                Pattern.compile("([0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2})"
                        + "(?:\\.[0-9]+)?([Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])");

        @Override
        public boolean isValid(@Nullable Object value, ConstraintValidatorContext context) {
            if (value instanceof String text) {
                return text.isEmpty() || EPOCH_MILLISECONDS.matcher(text).matches() || isRfc3339(text);
            }
            return value == null
                    || value instanceof Number number
                            && EPOCH_MILLISECONDS.matcher(number.toString()).matches();
        }

        private static boolean isRfc3339(String text) {
            var parts = RFC_3339.matcher(text);
            return parts.matches() && exists(parts.group(1));
        }

        private static boolean exists(String localDateTime) {
            try {
                // Fraction and offset cannot make a date invalid, and an offset may exceed Java's 18 hours.
                OffsetDateTime.parse(localDateTime + "Z");
                return true;
            } catch (DateTimeException invalid) {
                return false;
            }
        }
    }
}

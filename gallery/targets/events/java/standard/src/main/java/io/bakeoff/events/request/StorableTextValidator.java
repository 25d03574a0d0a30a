package io.bakeoff.events.request;

import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import org.jspecify.annotations.Nullable;

/** Text without NUL and lone surrogates. */
public final class StorableTextValidator implements ConstraintValidator<Storable, String> {
    @Override
    public boolean isValid(@Nullable String text, ConstraintValidatorContext context) {
        String problem = text == null ? null : problem(text);
        return problem == null || reject(context, problem);
    }

    /** Why a text cannot be stored; null when it can. */
    static @Nullable String problem(String text) {
        for (int position = 0; position < text.length(); position++) {
            char unit = text.charAt(position);
            if (unit == 0) {
                return "contains \\u0000, which cannot be stored";
            }
            if (Character.isSurrogate(unit)) {
                if (!Character.isHighSurrogate(unit)
                        || position + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(position + 1))) {
                    return "contains a lone surrogate, which cannot be stored";
                }
                position++;
            }
        }
        return null;
    }

    /** Replaces the message of the constraint. */
    static boolean reject(ConstraintValidatorContext context, String message) {
        context.disableDefaultConstraintViolation();
        // A backslash is an escape character in templates.
        context.buildConstraintViolationWithTemplate(message.replace("\\", "\\\\"))
                .addConstraintViolation();
        return false;
    }
}

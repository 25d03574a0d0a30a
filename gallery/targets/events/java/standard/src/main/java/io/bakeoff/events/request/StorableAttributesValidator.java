package io.bakeoff.events.request;

import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON of limited depth, whose texts can be stored and whose numbers are within the range of a double. */
public final class StorableAttributesValidator implements ConstraintValidator<Storable, ObjectNode> {
    private static final int MAXIMUM_DEPTH = 32;
    private static final int MAXIMUM_EXPONENT = 1_100;
    private static final int MAXIMUM_CHARACTERS = 1_100;

    @Override
    public boolean isValid(@Nullable ObjectNode attributes, ConstraintValidatorContext context) {
        String problem = attributes == null ? null : problem(attributes, 1);
        return problem == null || StorableTextValidator.reject(context, problem);
    }

    private static @Nullable String problem(JsonNode value, int depth) {
        if (value.isString()) {
            return StorableTextValidator.problem(value.stringValue());
        }
        if (value.isNumber()) {
            return isInRange(value) ? null : "contains a number outside the double range";
        }
        return value.isContainer() ? problemInside(value, depth) : null;
    }

    private static @Nullable String problemInside(JsonNode container, int depth) {
        if (depth > MAXIMUM_DEPTH) {
            return "nested deeper than 32 levels";
        }
        for (Map.Entry<String, JsonNode> member : container.properties()) {
            String problem = StorableTextValidator.problem(member.getKey());
            if (problem == null) {
                problem = problem(member.getValue(), depth + 1);
            }
            if (problem != null) {
                return problem;
            }
        }
        for (JsonNode element : container.isArray() ? container : java.util.List.<JsonNode>of()) {
            String problem = problem(element, depth + 1);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** The nearest double is finite, and zero only if the number is. */
    private static boolean isInRange(JsonNode number) {
        return switch (number.numberType()) {
            case INT, LONG -> true;
            case BIG_INTEGER -> isInRange(number.bigIntegerValue());
            case BIG_DECIMAL -> isInRange(number.decimalValue());
            default -> Double.isFinite(number.doubleValue());
        };
    }

    private static boolean isInRange(BigInteger number) {
        return Double.isFinite(number.doubleValue());
    }

    private static boolean isInRange(BigDecimal number) {
        // Checked first: converting a huge exponent is slow.
        if (Math.abs((long) number.scale()) > MAXIMUM_EXPONENT || isTooLong(number)) {
            return false;
        }
        double nearest = number.doubleValue();
        return Double.isFinite(nearest) && (nearest != 0 || number.signum() == 0);
    }

    /** Formats numbers with many digits only. */
    private static boolean isTooLong(BigDecimal number) {
        return number.precision() > MAXIMUM_CHARACTERS / 2 && number.toString().length() > MAXIMUM_CHARACTERS;
    }
}

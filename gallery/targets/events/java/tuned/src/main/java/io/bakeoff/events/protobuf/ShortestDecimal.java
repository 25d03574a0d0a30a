package io.bakeoff.events.protobuf;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import tools.jackson.core.io.NumberOutput;

/** The shortest decimal that parses to a given double; integers as JSON clients write them. */
final class ShortestDecimal {
    /** Up to here every integer has an exact double. */
    private static final double EXACT = 1L << 53;

    /** From here on Java's rule of at least two digits does not change the result. */
    private static final double FEW_DIGITS = 1e-321;

    private ShortestDecimal() {}

    static String of(double number) {
        if (number == (long) number && Math.abs(number) <= EXACT && !isNegativeZero(number)) {
            return Long.toString((long) number);
        }
        if (Math.abs(number) < FEW_DIGITS && number != 0) {
            String oneDigit = new BigDecimal(number)
                    .round(new MathContext(1, RoundingMode.HALF_EVEN))
                    .toString();
            if (Double.parseDouble(oneDigit) == number) {
                return oneDigit;
            }
        }
        // Double.toString is not the shortest before Java 19; Jackson's writer is.
        return withoutPointZero(NumberOutput.toString(number, true));
    }

    private static boolean isNegativeZero(double number) {
        return Double.doubleToRawLongBits(number) == Long.MIN_VALUE;
    }

    /** PostgreSQL keeps trailing zeros of a fraction, so {@code 1.0E-5} must be {@code 1E-5}. */
    private static String withoutPointZero(String decimal) {
        int exponent = decimal.indexOf('E');
        int mantissaEnd = exponent < 0 ? decimal.length() : exponent;
        return decimal.startsWith(".0", mantissaEnd - 2)
                ? decimal.substring(0, mantissaEnd - 2) + decimal.substring(mantissaEnd)
                : decimal;
    }
}

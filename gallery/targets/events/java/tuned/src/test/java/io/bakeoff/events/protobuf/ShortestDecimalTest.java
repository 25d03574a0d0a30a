package io.bakeoff.events.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortestDecimalTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, -0",
        "1, 1",
        "-42, -42",
        "0.1, 0.1",
        "1.5, 1.5",
        "1e5, 100000",
        "9007199254740992, 9007199254740992",
        "1e23, 1E23",
        "2e-3, 0.002",
        "1e-5, 1E-5",
        "1.25e-7, 1.25E-7",
        "4.9e-324, 5E-324",
        "9.9e-324, 1E-323",
        "1.5e-323, 1.5E-323",
        "2.2250738585072014E-308, 2.2250738585072014E-308",
        "1.7976931348623157e308, 1.7976931348623157E308",
        "2.0E22, 2E22"
    })
    void theShortestText(double number, String text) {
        assertThat(ShortestDecimal.of(number)).isEqualTo(text);
    }

    @Test
    void isShortestAndParsesToTheSameDouble() {
        Random random = new Random(1);
        for (int round = 0; round < 50_000; round++) {
            double number = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(number)) {
                String text = ShortestDecimal.of(number);
                assertThat(Double.parseDouble(text)).isEqualTo(number);
                BigDecimal exact = new BigDecimal(number);
                int digits = new BigDecimal(text).stripTrailingZeros().precision();
                if (digits > 1) {
                    BigDecimal shorter = exact.round(new java.math.MathContext(digits - 1));
                    assertThat(shorter.doubleValue()).as(text).isNotEqualTo(number);
                }
            }
        }
    }
}

package io.bakeoff.events.json;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.decoding.Text;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class NumbersTest {
    static Stream<String> storable() {
        return Stream.of(
                "0",
                "-0",
                "0.10",
                "12345678901234567890",
                "1.7976931348623157e308",
                "-1.7976931348623157E+308",
                "1.7976931348623158e308",
                "5e-324",
                "2.4703282292062328e-324",
                "0e400",
                "0.00e-400",
                "0e1100",
                "0e-1100",
                "0e000000000000000000001",
                "1e00000000000000000000000001",
                "9".repeat(308),
                "0." + "0".repeat(322) + "1",
                "0." + "1".repeat(1_098));
    }

    static Stream<String> notStorable() {
        return Stream.of(
                "1.7976931348623159e308",
                "-1e309",
                "1e999999999999999999999",
                "1e-324",
                "2.4703282292062327e-324",
                "-1e-99999999999999999999",
                "0e1101",
                "0E-1101",
                "0.0e99999999999999999999",
                "0." + "0".repeat(1_050) + "1e1101",
                "9".repeat(309),
                "0." + "0".repeat(400) + "1",
                "0." + "1".repeat(1_099),
                "0." + "0".repeat(1_099));
    }

    @ParameterizedTest
    @MethodSource
    void storable(String literal) {
        assertThat(Numbers.isStorable(text(literal))).isTrue();
    }

    @ParameterizedTest
    @MethodSource
    void notStorable(String literal) {
        assertThat(Numbers.isStorable(text(literal))).isFalse();
    }

    private static Text text(String literal) {
        boolean integer = literal.matches("-?\\d+");
        byte[] source = ("[" + literal + "]").getBytes(US_ASCII);
        return new Text(source, 1, source.length - 1, integer ? Text.Form.INTEGER : Text.Form.PLAIN);
    }
}

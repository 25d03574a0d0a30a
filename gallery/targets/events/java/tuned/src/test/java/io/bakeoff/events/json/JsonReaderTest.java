package io.bakeoff.events.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
    private static final String OTHERS = "\0\u001f \n\"\\/{}[]:,.-+01eEuatfn";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":[1,-2.5e+10,0.1E-7,{\"b\":null}],\"c\":\"x\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"}",
                " [ true , false , null , [ ] , { } , [ [ ] ] , { \"a\" : { } } ] ",
                "\"plain ä 日本\"",
                "-0",
                "[0,10,1.0,1e5,1E5,-1.5e-05]",
                "{\"\":{\"\":\"\"}}",
                "[[[[[[1]]]]]]",
                "{\"k\":\"\\u12aF\"}"
            })
    void acceptsWhatJacksonAcceptsAndNothingElse(String seed) {
        assertThat(isJson(seed)).isTrue();
        int accepted = 0;
        for (String variant : variants(seed)) {
            boolean expected = Jackson.reads(variant);
            assertThat(isJson(variant)).as(variant).isEqualTo(expected);
            accepted += expected ? 1 : 0;
        }
        assertThat(accepted).as("the variants must not all be broken").isPositive();
    }

    @Test
    void everyByteOfALongStringIsChecked() {
        for (int position = 0; position < 40; position++) {
            String before = "\"" + "ä".repeat(position / 2) + "x".repeat(position % 2);
            for (String rest : List.of("", "x", "ÿ\u007f !#[]0123456789")) {
                assertThat(isJson(before + rest + "\"")).isTrue();
                assertThat(isJson(before + "\\n" + rest + "\"")).isTrue();
                assertThat(isJson(before + "\\x" + rest + "\"")).isFalse();
                assertThat(isJson(before + "\"" + rest + "\"")).isFalse();
                assertThat(isJson(before + "\u001f" + rest + "\"")).isFalse();
                assertThat(isJson(before + "\0" + rest + "\"")).isFalse();
                assertThat(isJson(before + rest)).isFalse();
            }
        }
    }

    @Test
    void whiteSpaceIsTheFourCharactersOfTheRfc() {
        assertThat(isJson(" \t\r\n[ \t\r\n1 \t\r\n, 2 ] \t\r\n")).isTrue();
        for (String space : List.of("\ufeff", "\u00a0", "\u000b", "\f", "\0")) {
            assertThat(isJson(space + "1")).isFalse();
            assertThat(isJson("1" + space)).isFalse();
        }
    }

    @Test
    void depthDoesNotUseTheStack() {
        int levels = 1_000_000;
        assertThat(isJson("[".repeat(levels) + "]".repeat(levels))).isTrue();
        assertThat(isJson("[".repeat(levels))).isFalse();
        assertThat(isJson("{\"a\":".repeat(levels))).isFalse();
        assertThat(isJson("[".repeat(levels) + "]".repeat(levels - 1) + "}")).isFalse();
    }

    /** The text with each character dropped, replaced, preceded by another, and truncated there. */
    private static List<String> variants(String seed) {
        List<String> variants = new ArrayList<>();
        for (int position = 0; position < seed.length(); position++) {
            String before = seed.substring(0, position);
            String after = seed.substring(position + 1);
            variants.add(before);
            variants.add(before + after);
            for (char other : OTHERS.toCharArray()) {
                variants.add(before + other + after);
                variants.add(before + other + seed.substring(position));
            }
        }
        return variants;
    }

    private static boolean isJson(String text) {
        try {
            JsonReader reader = new JsonReader(text.getBytes(UTF_8));
            reader.walk(ValueVisitor.NONE);
            reader.end();
            return true;
        } catch (SyntaxException notJson) {
            return false;
        }
    }
}

package io.bakeoff.events.decoding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EscapesTest {
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "plain ä, plain ä",
                "\\\"\\\\\\/, `\"\\/`",
                "a\\u00e9b, aéb",
                "\\u00E9, é",
                "\\ud83d\\ude00, 😀",
                "\\uD800\\uDC00\\uDBFF\\uDFFF, \uD800\uDC00\uDBFF\uDFFF",
                "\\ud7ff\\ue000\\uffff, \ud7ff\ue000\uffff",
                "\\\\u0000, \\u0000",
                "日\\n本, `日\n本`",
                "\\b\\f\\r\\t\\u0001, `\b\f\r\t\u0001`"
            })
    void escapesStandForCharacters(String inside, String text) {
        assertThat(Escapes.unstorable(text(inside))).isNull();
        assertThat(new String(Escapes.unescape(text(inside)).bytes(), UTF_8)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "\\u0000, NUL",
        "a\\\\\\u0000, NUL",
        "\\ud800, LONE_SURROGATE",
        "\\udc00, LONE_SURROGATE",
        "\\ude00\\ud83d, LONE_SURROGATE",
        "\\ud83dx, LONE_SURROGATE",
        "\\ud83d\\n, LONE_SURROGATE",
        "\\ud83d\\u0041, LONE_SURROGATE",
        "\\ud83d\\ud83d\\ude00, LONE_SURROGATE",
        "\\udbff日, LONE_SURROGATE",
        "\\ud83d\\ude00\\u0000, NUL"
    })
    void textThatCannotBeStored(String inside, Unstorable unstorable) {
        assertThat(Escapes.unstorable(text(inside))).isEqualTo(unstorable);
    }

    private static Text text(String inside) {
        // Not from 0, so that confusing a position with an offset fails the test.
        byte[] bytes = ("\"" + inside + "\"").getBytes(UTF_8);
        return new Text(bytes, 1, bytes.length - 1, Text.Form.ESCAPED);
    }
}

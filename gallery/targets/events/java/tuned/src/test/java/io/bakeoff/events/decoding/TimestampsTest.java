package io.bakeoff.events.decoding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-01-15T10:30:00Z",
                "2024-01-15t10:30:00z",
                "2024-01-15T10:30:00.1Z",
                "2024-01-15T10:30:00.123456789012345678901Z",
                "2024-02-29T23:59:59+23:59",
                "2000-02-29T00:00:00-00:00",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999-12:00",
                "0",
                "-1",
                "1705314600000",
                "999999999999999",
                "-999999999999999"
            })
    void aTimestamp(String text) {
        assertThat(Timestamps.isTimestamp(Text.plain(text.getBytes(UTF_8)))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "+1",
                "1.5",
                "1e3",
                "1000000000000000",
                "12a",
                " 1",
                "2024-01-15",
                "2024-01-15 10:30:00Z",
                "2024-01-15T10:30:00",
                "2024-01-15T10:30:00.Z",
                "2024-01-15T10:30Z",
                "2024-13-15T10:30:00Z",
                "2024-00-15T10:30:00Z",
                "2024-01-00T10:30:00Z",
                "2024-01-32T10:30:00Z",
                "2023-02-29T10:30:00Z",
                "1900-02-29T10:30:00Z",
                "2024-04-31T10:30:00Z",
                "2024-01-15T24:00:00Z",
                "2024-01-15T10:60:00Z",
                "2024-01-15T10:30:60Z",
                "2024-01-15T10:30:00+24:00",
                "2024-01-15T10:30:00+01:60",
                "2024-01-15T10:30:00+0100",
                "2024-01-15T10:30:00Zz",
                "2024-01-15T10:30:00é",
                "2024-01-15T10:30:0é",
                "٢٠٢٤-01-15T10:30:00Z",
                "yesterday"
            })
    void otherText(String text) {
        assertThat(Timestamps.isTimestamp(Text.plain(text.getBytes(UTF_8)))).isFalse();
    }
}

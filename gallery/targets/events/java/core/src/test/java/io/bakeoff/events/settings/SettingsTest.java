package io.bakeoff.events.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.r2dbc.postgresql.client.SSLMode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    @Test
    void defaults() {
        Settings settings = read(Map.of("WRITE_MODE", "", "DATABASE_URL", ""));
        assertThat(settings.bind().getHostAddress()).isEqualTo("127.0.0.1");
        assertThat(settings.port()).isEqualTo(8081);
        assertThat(settings.writeMode()).isEqualTo(WriteMode.GROUP_COMMIT);
        assertThat(settings.flushers()).isEqualTo(2);
        assertThat(settings.intakeBytes()).isEqualTo(64 << 20);
        assertThat(settings.queueEvents()).isEqualTo(20_000);
        assertThat(settings.workers()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(settings.logLevel()).isEqualTo("info");
        assertThat(settings.logFormat()).isEqualTo("text");
        assertThat(settings.database())
                .isEqualTo(new DatabaseUrl("localhost", 5432, "postgres", "password", "car_entities", SSLMode.PREFER));
    }

    @Test
    void everySettingCanBeSet() {
        Settings settings = read(Map.of(
                "DATABASE_URL", "postgres://u%40x:p%3A+1@[::1]:6543/d?sslmode=require",
                "SERVER_PORT", "0",
                "BIND", "::",
                "WRITE_MODE", "per-request",
                "DB_POOL_SIZE", "7",
                "FLUSHERS", "8",
                "WORKERS", "3",
                "QUEUE_EVENTS", "1",
                "LOG_LEVEL", "debug",
                "LOG_FORMAT", "json"));
        assertThat(settings.database()).isEqualTo(new DatabaseUrl("::1", 6543, "u@x", "p:+1", "d", SSLMode.REQUIRE));
        assertThat(settings.bind().isAnyLocalAddress()).isTrue();
        assertThat(settings)
                .extracting(Settings::port, Settings::writeMode, Settings::poolSize, Settings::flushers)
                .containsExactly(0, WriteMode.PER_REQUEST, 7, 8);
        assertThat(settings)
                .extracting(Settings::workers, Settings::queueEvents, Settings::logLevel, Settings::logFormat)
                .containsExactly(3, 1, "debug", "json");
    }

    @Test
    void limitsOfConnections() {
        assertThat(read(Map.of()).limits())
                .isEqualTo(new ConnectionLimits(
                        Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(60), 100));
        assertThat(read(Map.of(Settings.DEFAULT_STREAMS, "4096")).limits().streams())
                .isEqualTo(4_096);
        Map<String, String> chosen =
                Map.of("READ_HEADER_TIMEOUT", "500ms", "READ_TIMEOUT", "5s", "IDLE_TIMEOUT", "2m", "MAX_STREAMS", "7");
        assertThat(read(chosen).limits())
                .isEqualTo(
                        new ConnectionLimits(Duration.ofMillis(500), Duration.ofSeconds(5), Duration.ofMinutes(2), 7));
    }

    @Test
    void theBudgetOfUnfinishedRequestsCanBeSet() {
        assertThat(read(Map.of("INTAKE_MB", "9")).intakeBytes()).isEqualTo(9 << 20);
    }

    @ParameterizedTest
    @CsvSource({"10, 2, 3", "2, 8, 2", "10, 1, 2"})
    void groupCommitOpensNoMoreConnectionsThanItUses(String poolSize, String flushers, int connections) {
        assertThat(read(Map.of("DB_POOL_SIZE", poolSize, "FLUSHERS", flushers)).poolSize())
                .isEqualTo(connections);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "WRITE_MODE|batch|WRITE_MODE is \"batch\": use group-commit or per-request",
                "LOG_LEVEL|INFO|LOG_LEVEL is \"INFO\": use info, error, warn or debug",
                "LOG_FORMAT|xml|LOG_FORMAT is \"xml\": use text or json",
                "FLUSHERS|9|FLUSHERS is \"9\": use a whole number from 1 to 8",
                "FLUSHERS|0|FLUSHERS is \"0\": use a whole number from 1 to 8",
                "DB_POOL_SIZE|ten|DB_POOL_SIZE is \"ten\": use a whole number from 1 to 1000",
                "WORKERS|-1|WORKERS is \"-1\": use a whole number from 1 to 1024",
                "READ_TIMEOUT|30|READ_TIMEOUT is \"30\": use a duration such as 5s or 500ms",
                "READ_TIMEOUT|-1s|READ_TIMEOUT is \"-1s\": use a duration such as 5s or 500ms",
                "IDLE_TIMEOUT|0s|IDLE_TIMEOUT is \"0s\": use a duration such as 5s or 500ms",
                "MAX_STREAMS|0|MAX_STREAMS is \"0\": use a whole number from 1 to 1000000",
                "QUEUE_EVENTS|1e3|QUEUE_EVENTS is \"1e3\": use a whole number from 1 to 10000000",
                "SERVER_PORT|65536|SERVER_PORT is \"65536\": use a whole number from 0 to 65535",
                "BIND|localhost|BIND is \"localhost\": use an IP address such as 127.0.0.1 or ::",
                "BIND|1.2.3.400|BIND is \"1.2.3.400\": use an IP address such as 127.0.0.1 or ::"
            })
    void anInvalidSettingIsReportedWithValidValues(String property, String value, String message) {
        assertThatThrownBy(() -> read(Map.of(property, value)))
                .isInstanceOf(SettingException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://u:secret@h/d",
                "secret",
                "postgresql://u:secret@h:port/d",
                "postgresql://u:secret%zz@h/d",
                "postgresql://u:secret@h/d?sslmode=maybe"
            })
    void aDatabaseUrlThatCannotBeUsedIsNotRepeated(String url) {
        assertThatThrownBy(() -> read(Map.of("DATABASE_URL", url)))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("DATABASE_URL is not a PostgreSQL URL: use ")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }

    private static Settings read(Map<String, String> values) {
        return Settings.read(values::get);
    }
}

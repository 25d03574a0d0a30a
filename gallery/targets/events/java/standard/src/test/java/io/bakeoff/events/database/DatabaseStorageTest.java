package io.bakeoff.events.database;

import static io.bakeoff.events.writing.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.settings.SettingsPostProcessor;
import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.StorageException;
import io.bakeoff.events.writing.StorageException.Reason;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.r2dbc.core.DatabaseClient;
import reactor.core.Exceptions;

@EnabledIfEnvironmentVariable(
        named = "TEST_DATABASE_URL",
        matches = "postgres.+",
        disabledReason = "needs a PostgreSQL: set TEST_DATABASE_URL")
class DatabaseStorageTest {
    private static ConfigurableApplicationContext application;

    private final String car = UUID.randomUUID().toString();
    private final DatabaseStorage storage = application.getBean(DatabaseStorage.class);

    @EnableAutoConfiguration
    @Import(DatabaseStorage.class)
    static class Application {}

    @BeforeAll
    static void start() {
        application = start(System.getenv("TEST_DATABASE_URL"));
        application.getBean(DatabaseStorage.class).prepare().block();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void theSettingsReachThePool() {
        Settings settings = SettingsPostProcessor.settings(application.getEnvironment());
        assertThat(application.getEnvironment().getProperty("spring.r2dbc.pool.max-size"))
                .isEqualTo(Integer.toString(settings.poolSize()));
    }

    @Test
    void documentsAreMergedAndNumbersKeepTheirText() {
        storage.store(rows(car + "={\"a\":0.10,\"b\":{\"x\":1},\"t\":\"q\\\"ä日😀\"}"))
                .block();
        storage.store(rows(car + "={\"b\":null,\"c\":[]}", car + "={\"c\":12345678901234567890}"))
                .block();
        assertThat(document())
                .isEqualTo("{\"a\": 0.10, \"b\": null, \"c\": 12345678901234567890, \"t\": \"q\\\"ä日😀\"}");
    }

    @Test
    void aStatementStoresAllRowsOrNone() {
        assertThatThrownBy(() -> storage.store(rows(car + "={}", car + "x={\"a\":\"\\u0000\"}"))
                        .block())
                .satisfies(failure -> assertThat(reason(failure)).isEqualTo(Reason.REJECTED));
        assertThat(document()).isNull();
    }

    @Test
    void anUnreachableDatabaseIsUnavailable() {
        try (ConfigurableApplicationContext nowhere = start("postgresql://postgres@127.0.0.1:1/none")) {
            assertThatThrownBy(
                            () -> nowhere.getBean(DatabaseStorage.class).check().block())
                    .satisfies(failure -> assertThat(reason(failure)).isEqualTo(Reason.UNAVAILABLE));
        }
    }

    private static Reason reason(Throwable failure) {
        return ((StorageException) Exceptions.unwrap(failure)).reason();
    }

    private static ConfigurableApplicationContext start(String url) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--DATABASE_URL=" + url,
                        "--spring.config.import=classpath:standard.yml",
                        "--spring.application.name=test");
    }

    private static Rows rows(String... updates) {
        return Rows.merge(List.of(event(updates)));
    }

    private String document() {
        return application
                .getBean(DatabaseClient.class)
                .sql("SELECT data::text FROM car_entities WHERE id = $1")
                .bind(0, car)
                .map(row -> row.get(0, String.class))
                .one()
                .block();
    }
}

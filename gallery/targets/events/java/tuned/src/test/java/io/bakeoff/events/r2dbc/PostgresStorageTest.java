package io.bakeoff.events.r2dbc;

import static io.bakeoff.events.writing.Events.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bakeoff.events.r2dbc.PostgresConnections.Timeouts;
import io.bakeoff.events.settings.DatabaseUrl;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.StorageException;
import io.bakeoff.events.writing.StorageException.Reason;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Row;
import io.r2dbc.spi.RowMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

@EnabledIfEnvironmentVariable(
        named = "TEST_DATABASE_URL",
        matches = "postgres.+",
        disabledReason = "needs a PostgreSQL: set TEST_DATABASE_URL")
class PostgresStorageTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration SOON = Duration.ofMillis(200);

    private final String car = UUID.randomUUID().toString();
    private final LoopResources loops = LoopResources.create("test", 1, true);
    private ConnectionPool pool;
    private PostgresStorage storage;

    @BeforeEach
    void prepare() {
        pool = pool(System.getenv("TEST_DATABASE_URL"), LIMIT);
        storage = new PostgresStorage(pool, LIMIT);
        storage.prepare().block();
    }

    @AfterEach
    void close() {
        pool.dispose();
        loops.dispose();
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
                .satisfies(failure -> assertThat(Exceptions.unwrap(failure))
                        .isInstanceOfSatisfying(
                                StorageException.class,
                                refusal -> assertThat(refusal.reason()).isEqualTo(Reason.REJECTED)));
        assertThat(document()).isNull();
    }

    @Test
    void preparingIsSafeWhenSeveralDoItAtOnce() {
        Flux.range(0, 8).flatMap(start -> storage.prepare()).blockLast();
        storage.check().block();
    }

    @Test
    void anUnreachableDatabaseIsUnavailable() {
        ConnectionPool nowhere = pool("postgresql://postgres@127.0.0.1:1/none", LIMIT);
        assertThatThrownBy(() -> new PostgresStorage(nowhere, LIMIT).check().block())
                .satisfies(failure -> assertThat(Exceptions.unwrap(failure))
                        .isInstanceOfSatisfying(
                                StorageException.class,
                                absence -> assertThat(absence.reason()).isEqualTo(Reason.UNAVAILABLE)));
        nowhere.dispose();
    }

    @Test
    void aClosedConnectionIsReplaced() {
        storage.check().block();
        ConnectionPool other = pool(System.getenv("TEST_DATABASE_URL"), LIMIT);
        Mono.usingWhen(
                        other.create(),
                        connection -> Flux.from(connection
                                        .createStatement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                                + " WHERE application_name = 'PostgresStorageTest'"
                                                + " AND pid <> pg_backend_pid()")
                                        .execute())
                                .flatMap(result -> result.map(readable -> readable.get(0)))
                                .then(),
                        Connection::close)
                .block();
        other.dispose();
        storage.store(rows(car + "={}")).retry(3).block();
        assertThat(document()).isEqualTo("{}");
    }

    /** Whether the server cancels the statement, or does not reply at all. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSlowStatementIsCancelled(boolean byTheServer) {
        storage.store(rows(car + "={}")).block();
        ConnectionPool impatient = pool(System.getenv("TEST_DATABASE_URL"), byTheServer ? SOON : LIMIT);
        PostgresStorage other = new PostgresStorage(impatient, byTheServer ? LIMIT : SOON);
        Connection locker = pool.create().block();
        Mono.from(locker.beginTransaction()).block();
        Flux.from(locker.createStatement("SELECT 1 FROM car_entities WHERE id = $1 FOR UPDATE")
                        .bind(0, car)
                        .execute())
                .flatMap(result -> result.map(row -> row.get(0)))
                .blockLast();

        assertThatThrownBy(() -> other.store(rows(car + "={\"a\":1}")).block())
                .satisfies(failure -> assertThat(Exceptions.unwrap(failure))
                        .isInstanceOfSatisfying(
                                StorageException.class,
                                delay -> assertThat(delay.reason()).isEqualTo(Reason.TIMED_OUT)));
        // The only connection is usable again while the lock is still held.
        other.check().block();

        Mono.from(locker.rollbackTransaction()).block();
        Mono.from(locker.close()).block();
        // A statement without a reply may still be stored later; it was never acknowledged.
        assertThat(document()).isIn(byTheServer ? List.of("{}") : List.of("{}", "{\"a\": 1}"));
        impatient.dispose();
    }

    private ConnectionPool pool(String url, Duration statementLimit) {
        DatabaseUrl database = Settings.read(Map.of("DATABASE_URL", url)::get).database();
        return PostgresConnections.pool(database, 1, "PostgresStorageTest", loops, new Timeouts(LIMIT, statementLimit));
    }

    private static Rows rows(String... updates) {
        return Rows.merge(List.of(event(updates)));
    }

    private String document() {
        return Mono.usingWhen(
                        pool.create(),
                        connection -> Mono.from(connection
                                        .createStatement("SELECT data::text FROM car_entities WHERE id = $1")
                                        .bind(0, car)
                                        .execute())
                                .flatMap(result -> Mono.from(
                                        result.map((Row row, RowMetadata columns) -> row.get(0, String.class)))),
                        Connection::close)
                .block();
    }
}

package io.bakeoff.events.postgres;

import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.Storage;
import io.bakeoff.events.writing.StorageException;
import io.bakeoff.events.writing.StorageException.Reason;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.postgresql.api.PostgresqlException;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcTimeoutException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.ValidationDepth;
import io.r2dbc.spi.Wrapped;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Stores rows in PostgreSQL. */
public final class PostgresStorage implements Storage {
    /**
     * Classes of SQLSTATE that are transient: connection, transaction rollback, insufficient resources, operator
     * intervention (shutdown, starting up), and a standby that is not yet promoted.
     */
    private static final List<String> TRANSIENT = List.of("08", "40", "53", "57", "25006");

    /** SQLSTATE of a statement that the server cancelled. */
    private static final String CANCELLED = "57014";

    private static final String SCHEMA = resource("/schema.sql");
    private static final String UPSERT = resource("/upsert.sql");

    private final ConnectionPool pool;
    private final Duration replyTimeout;

    /**
     * A storage over a pool of {@link PostgresConnections}.
     *
     * @param replyTimeout after which a server that does not reply counts as unavailable
     */
    public PostgresStorage(ConnectionPool pool, Duration replyTimeout) {
        this.pool = pool;
        this.replyTimeout = replyTimeout;
    }

    @Override
    public Mono<Void> prepare() {
        // A simple query is one transaction.
        return with(connection -> execute(connection.createStatement(SCHEMA).execute()));
    }

    /** A single prepared statement is its own transaction: no BEGIN, no COMMIT. */
    @Override
    public Mono<Void> store(Rows rows) {
        return with(connection -> execute(connection
                        .createStatement(UPSERT)
                        .bind(0, new TextArray(rows.entities(), TextArray.Column.TYPE))
                        .bind(1, new TextArray(rows.entities(), TextArray.Column.ID))
                        .bind(2, new TextArray(rows.entities(), TextArray.Column.DATA))
                        .execute())
                .timeout(replyTimeout)
                .onErrorResume(TimeoutException.class, timeout -> drop(connection, timeout)));
    }

    /** A connection whose statement still runs must not be reused. */
    private static Mono<Void> drop(Connection pooled, TimeoutException timeout) {
        Connection connection = (Connection) ((Wrapped<?>) pooled).unwrap();
        return Mono.from(connection.close()).onErrorComplete().then(Mono.error(timeout));
    }

    @Override
    public Mono<Void> check() {
        return with(connection -> Mono.from(connection.validate(ValidationDepth.REMOTE))
                .filter(Boolean::booleanValue)
                .switchIfEmpty(Mono.error(() -> new IOException("the connection is no longer valid")))
                .then());
    }

    private Mono<Void> with(Function<Connection, Mono<Void>> work) {
        return Mono.usingWhen(connection(), work, Connection::close).onErrorMap(PostgresStorage::classify);
    }

    /** A connection that was closed while idle is detected, and discarded, when it is acquired. */
    private Mono<Connection> connection() {
        return pool.create().onErrorResume(error -> !(error instanceof R2dbcTimeoutException), ended -> pool.create());
    }

    private static Mono<Void> execute(Publisher<? extends Result> results) {
        return Flux.from(results).flatMap(Result::getRowsUpdated).then();
    }

    /** Decides whether a retry may succeed: not when the server rejects the statement. */
    private static StorageException classify(Throwable error) {
        if (error instanceof PostgresqlException answer) {
            String code = answer.getErrorDetails().getCode();
            return new StorageException(reason(code), error);
        }
        // Thrown by the pool when no connection became free in time.
        boolean timedOut = error instanceof TimeoutException || error instanceof R2dbcTimeoutException;
        return new StorageException(timedOut ? Reason.TIMED_OUT : Reason.UNAVAILABLE, error);
    }

    private static Reason reason(String code) {
        if (code.equals(CANCELLED)) {
            return Reason.TIMED_OUT;
        }
        return TRANSIENT.stream().anyMatch(code::startsWith) ? Reason.UNAVAILABLE : Reason.REJECTED;
    }

    private static String resource(String name) {
        try (InputStream text = PostgresStorage.class.getResourceAsStream(name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

package io.bakeoff.events.r2dbc;

import io.bakeoff.events.postgres.ContractSql;
import io.bakeoff.events.postgres.PostgresErrors;
import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.Storage;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcTimeoutException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.ValidationDepth;
import io.r2dbc.spi.Wrapped;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Stores rows in PostgreSQL. */
public final class PostgresStorage implements Storage {
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
        return with(connection ->
                execute(connection.createStatement(ContractSql.SCHEMA).execute()));
    }

    /** A single prepared statement is its own transaction: no BEGIN, no COMMIT. */
    @Override
    public Mono<Void> store(Rows rows) {
        return with(connection -> execute(connection
                        .createStatement(ContractSql.UPSERT)
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
        return Mono.usingWhen(connection(), work, Connection::close).onErrorMap(PostgresErrors::classify);
    }

    /** A connection that was closed while idle is detected, and discarded, when it is acquired. */
    private Mono<Connection> connection() {
        return pool.create().onErrorResume(error -> !(error instanceof R2dbcTimeoutException), ended -> pool.create());
    }

    private static Mono<Void> execute(Publisher<? extends Result> results) {
        return Flux.from(results).flatMap(Result::getRowsUpdated).then();
    }
}

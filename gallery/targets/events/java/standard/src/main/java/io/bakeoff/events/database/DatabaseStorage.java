package io.bakeoff.events.database;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.postgres.ContractSql;
import io.bakeoff.events.postgres.PostgresErrors;
import io.bakeoff.events.writing.Rows;
import io.bakeoff.events.writing.Storage;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** Stores rows with Spring's {@link DatabaseClient}. */
@Component
public final class DatabaseStorage implements Storage {
    private final DatabaseClient client;

    /** A storage over the client that Spring Boot configures. */
    public DatabaseStorage(DatabaseClient client) {
        this.client = client;
    }

    @Override
    public Mono<Void> prepare() {
        return client.sql(ContractSql.SCHEMA).then().onErrorMap(PostgresErrors::classify);
    }

    /** A single statement is its own transaction. */
    @Override
    public Mono<Void> store(Rows rows) {
        return client.sql(ContractSql.UPSERT)
                .bind(0, column(rows, entity -> entity.key().type()))
                .bind(1, column(rows, entity -> entity.key().id()))
                .bind(2, column(rows, entity -> new String(entity.attributes(), StandardCharsets.UTF_8)))
                .then()
                .timeout(PostgresErrors.REPLY_TIMEOUT)
                .onErrorMap(PostgresErrors::classify);
    }

    @Override
    public Mono<Void> check() {
        return client.sql("SELECT 1").fetch().one().then().onErrorMap(PostgresErrors::classify);
    }

    private static String[] column(Rows rows, Function<Entity, String> part) {
        return rows.entities().stream().map(part).toArray(String[]::new);
    }
}

package io.bakeoff.events.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The contract's SQL, copied at build time. */
public final class ContractSql {
    /** Creates the table unless it exists. One simple query, and so one transaction. */
    public static final String SCHEMA = resource("/schema.sql");

    /** Stores rows: three parameters of type {@code text[]}. */
    public static final String UPSERT = resource("/upsert.sql");

    private ContractSql() {}

    private static String resource(String name) {
        try (InputStream text = ContractSql.class.getResourceAsStream(name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

package io.bakeoff.events.settings;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All settings, each usable.
 *
 * @param database where the database is, and as whom to use it
 * @param bind address to listen on
 * @param port port to listen on; 0 takes a free one
 * @param writeMode how events reach the database
 * @param poolSize connections to the database at the most
 * @param flushers batches under way at once
 * @param workers threads that serve requests
 * @param queueEvents events that wait at the most; in per-request mode requests under way
 * @param logLevel the least important lines that are shown
 * @param logFormat {@code text} or {@code json}
 * @param tls with which the server speaks TLS, or null
 * @param authorization who may call
 */
public record Settings(
        DatabaseUrl database,
        InetAddress bind,
        int port,
        WriteMode writeMode,
        int poolSize,
        int flushers,
        int workers,
        int queueEvents,
        String logLevel,
        String logFormat,
        @Nullable Tls tls,
        Authorization authorization) {
    private static final String DEFAULT_DATABASE = "postgresql://postgres:password@localhost:5432/car_entities";

    /** What of the application itself decides: the variable that holds its port, and the port without one. */
    static final String PORT_VARIABLE = "port-variable";

    static final String DEFAULT_PORT = "default-port";

    /** Where the values come from. */
    @FunctionalInterface
    public interface Source {
        /** The value of a variable of the environment, as it is set there; null or empty where it is not. */
        @Nullable
        String get(String variable);
    }

    /**
     * Reads and checks all settings.
     *
     * @throws SettingException when one cannot be used
     */
    public static Settings read(Source source) {
        Values values = new Values(source);
        WriteMode writeMode = values.word("WRITE_MODE", List.of(WriteMode.values()));
        int flushers = values.number("FLUSHERS", 2, 1, 8);
        int poolSize = values.number("DB_POOL_SIZE", 10, 1, 1_000);
        int cores = Runtime.getRuntime().availableProcessors();
        return new Settings(
                DatabaseUrl.parse(values.text("DATABASE_URL", DEFAULT_DATABASE)),
                values.address("BIND", "127.0.0.1"),
                values.number(
                        values.text(PORT_VARIABLE, "SERVER_PORT"),
                        Integer.parseInt(values.text(DEFAULT_PORT, "8081")),
                        0,
                        65_535),
                writeMode,
                writeMode == WriteMode.GROUP_COMMIT ? Math.min(poolSize, flushers + 1) : poolSize,
                flushers,
                values.number("WORKERS", cores, 1, 1_024),
                values.number("QUEUE_EVENTS", 20_000, 1, 10_000_000),
                values.word("LOG_LEVEL", List.of("info", "error", "warn", "debug")),
                values.word("LOG_FORMAT", List.of("text", "json")),
                Tls.of(values.text("TLS_CERT_FILE", ""), values.text("TLS_KEY_FILE", "")),
                Authorization.of(values.text("API_TOKEN", "")));
    }
}

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

    /** Where the values come from: {@code application.yml}, which maps the environment's variables. */
    @FunctionalInterface
    public interface Source {
        /** The value of a property below {@code producer.}; null or empty where it is not set. */
        @Nullable
        String get(String property);
    }

    /**
     * Reads and checks all settings.
     *
     * @throws SettingException when one cannot be used
     */
    public static Settings read(Source source) {
        Values values = new Values(source);
        WriteMode writeMode = values.word("write-mode", "WRITE_MODE", List.of(WriteMode.values()));
        int flushers = values.number("flushers", "FLUSHERS", 2, 1, 8);
        int poolSize = values.number("db-pool-size", "DB_POOL_SIZE", 10, 1, 1_000);
        int cores = Runtime.getRuntime().availableProcessors();
        return new Settings(
                DatabaseUrl.parse(values.text("database-url", DEFAULT_DATABASE)),
                values.address("bind", "BIND", "127.0.0.1"),
                values.number(
                        "port",
                        values.text("port-variable", "SERVER_PORT"),
                        Integer.parseInt(values.text("default-port", "8081")),
                        0,
                        65_535),
                writeMode,
                writeMode == WriteMode.GROUP_COMMIT ? Math.min(poolSize, flushers + 1) : poolSize,
                flushers,
                values.number("workers", "WORKERS", cores, 1, 1_024),
                values.number("queue-events", "QUEUE_EVENTS", 20_000, 1, 10_000_000),
                values.word("log-level", "LOG_LEVEL", List.of("info", "error", "warn", "debug")),
                values.word("log-format", "LOG_FORMAT", List.of("text", "json")),
                Tls.of(values.text("tls-cert-file", ""), values.text("tls-key-file", "")),
                Authorization.of(values.text("api-token", "")));
    }
}

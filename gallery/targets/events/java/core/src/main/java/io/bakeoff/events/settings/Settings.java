package io.bakeoff.events.settings;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All settings, validated.
 *
 * @param database location and credentials of the database
 * @param bind address to listen on
 * @param port port to listen on; 0 takes a free one
 * @param writeMode how events reach the database
 * @param poolSize maximum number of database connections
 * @param flushers maximum number of batches in flight
 * @param workers threads that serve requests
 * @param intakeBytes bytes that unfinished requests may occupy together
 * @param limits of each connection
 * @param queueEvents maximum number of queued events; in per-request mode of requests in flight
 * @param logLevel minimum level of log lines
 * @param logFormat {@code text} or {@code json}
 * @param tls certificate and key, or null for plain text
 * @param authorization the required bearer token, if any
 */
public record Settings(
        DatabaseUrl database,
        InetAddress bind,
        int port,
        WriteMode writeMode,
        int poolSize,
        int flushers,
        int workers,
        long intakeBytes,
        ConnectionLimits limits,
        int queueEvents,
        String logLevel,
        String logFormat,
        @Nullable Tls tls,
        Authorization authorization) {
    private static final String DEFAULT_DATABASE = "postgresql://postgres:password@localhost:5432/car_entities";

    /** Properties of each application: the variable that holds its port, and the defaults that differ. */
    static final String PORT_VARIABLE = "port-variable";

    static final String DEFAULT_PORT = "default-port";

    static final String DEFAULT_STREAMS = "default-streams";

    /** A source of values. */
    @FunctionalInterface
    public interface Source {
        /** The unmodified value of an environment variable; null or empty when it is not set. */
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
                (long) values.number("INTAKE_MB", 64, 1, 65_536) << 20,
                new ConnectionLimits(
                        values.duration("READ_HEADER_TIMEOUT", Duration.ofSeconds(20)),
                        values.duration("READ_TIMEOUT", Duration.ofSeconds(60)),
                        values.duration("IDLE_TIMEOUT", Duration.ofSeconds(60)),
                        values.number(
                                "MAX_STREAMS", Integer.parseInt(values.text(DEFAULT_STREAMS, "100")), 1, 1_000_000)),
                values.number("QUEUE_EVENTS", 20_000, 1, 10_000_000),
                values.word("LOG_LEVEL", List.of("info", "error", "warn", "debug")),
                values.word("LOG_FORMAT", List.of("text", "json")),
                Tls.of(values.text("TLS_CERT_FILE", ""), values.text("TLS_KEY_FILE", "")),
                Authorization.of(values.text("API_TOKEN", "")));
    }
}

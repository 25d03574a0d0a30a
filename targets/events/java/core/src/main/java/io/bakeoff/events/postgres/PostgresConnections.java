package io.bakeoff.events.postgres;

import io.bakeoff.events.settings.DatabaseUrl;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/** Makes the pool of connections. */
public final class PostgresConnections {
    /** An attempt to connect ends after this, so that a host that swallows packets is noticed. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private PostgresConnections() {}

    /**
     * How long to wait.
     *
     * @param turn for a connection, while all are in use
     * @param statement until the server gives a statement up
     */
    public record Limits(Duration turn, Duration statement) {}

    /**
     * A pool that connects when a connection is first needed.
     *
     * @param loops the threads that serve requests, which serve connections too
     * @param limits how long to wait for what
     */
    public static ConnectionPool pool(
            DatabaseUrl url, int connections, String applicationName, LoopResources loops, Limits limits) {
        PostgresqlConnectionConfiguration connection = PostgresqlConnectionConfiguration.builder()
                .host(url.host())
                .port(url.port())
                .username(url.user())
                .password(url.password())
                .database(url.database())
                .sslMode(url.sslMode())
                .applicationName(applicationName)
                .connectTimeout(CONNECT_TIMEOUT)
                .statementTimeout(limits.statement())
                .tcpKeepAlive(true)
                .loopResources(loops)
                .codecRegistrar((owner, allocator, registry) ->
                        Mono.fromRunnable(() -> registry.addFirst(new TextArrayCodec(allocator))))
                .build();
        return pool(new PostgresqlConnectionFactory(connection), connections, limits.turn());
    }

    /** A pool of connections of any make. */
    static ConnectionPool pool(ConnectionFactory factory, int connections, Duration turnLimit) {
        return new ConnectionPool(ConnectionPoolConfiguration.builder(factory)
                .initialSize(0)
                .minIdle(0)
                .maxSize(connections)
                .maxAcquireTime(turnLimit)
                // One more attempt would wait as long again.
                .acquireRetry(0)
                .maxCreateConnectionTime(CONNECT_TIMEOUT.multipliedBy(2))
                .build());
    }
}

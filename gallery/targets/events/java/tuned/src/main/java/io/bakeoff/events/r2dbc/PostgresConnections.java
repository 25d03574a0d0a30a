package io.bakeoff.events.r2dbc;

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
    /** Limits an attempt to connect, in case a host drops packets silently. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private PostgresConnections() {}

    /**
     * Timeouts of the pool.
     *
     * @param acquire for a free connection
     * @param statement after which the server cancels a statement
     */
    public record Timeouts(Duration acquire, Duration statement) {}

    /**
     * Creates a pool that connects on demand.
     *
     * @param loops the event loops, shared with the server
     * @param timeouts how long to wait
     */
    public static ConnectionPool pool(
            DatabaseUrl url, int connections, String applicationName, LoopResources loops, Timeouts timeouts) {
        PostgresqlConnectionConfiguration connection = PostgresqlConnectionConfiguration.builder()
                .host(url.host())
                .port(url.port())
                .username(url.user())
                .password(url.password())
                .database(url.database())
                .sslMode(url.sslMode())
                .applicationName(applicationName)
                .connectTimeout(CONNECT_TIMEOUT)
                .statementTimeout(timeouts.statement())
                .tcpKeepAlive(true)
                .loopResources(loops)
                .codecRegistrar((owner, allocator, registry) ->
                        Mono.fromRunnable(() -> registry.addFirst(new TextArrayCodec(allocator))))
                .build();
        return pool(new PostgresqlConnectionFactory(connection), connections, timeouts.acquire());
    }

    /** Creates a pool of connections from any factory. */
    static ConnectionPool pool(ConnectionFactory factory, int connections, Duration acquireTimeout) {
        return new ConnectionPool(ConnectionPoolConfiguration.builder(factory)
                .initialSize(0)
                .minIdle(0)
                .maxSize(connections)
                .maxAcquireTime(acquireTimeout)
                // Another attempt would wait as long again.
                .acquireRetry(0)
                .maxCreateConnectionTime(CONNECT_TIMEOUT.multipliedBy(2))
                .build());
    }
}

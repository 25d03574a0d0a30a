package io.bakeoff.events.postgres;

import io.bakeoff.events.settings.DatabaseUrl;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/** Makes the pool of connections. */
public final class PostgresConnections {
    /** An attempt to connect ends after this, so that a host that swallows packets is noticed. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    private PostgresConnections() {}

    /**
     * A pool that connects when a connection is first needed.
     *
     * @param loops the threads that serve requests, which serve connections too
     * @param statementLimit the server gives a statement up that takes longer
     */
    public static ConnectionPool pool(
            DatabaseUrl url, int connections, String applicationName, LoopResources loops, Duration statementLimit) {
        PostgresqlConnectionConfiguration connection = PostgresqlConnectionConfiguration.builder()
                .host(url.host())
                .port(url.port())
                .username(url.user())
                .password(url.password())
                .database(url.database())
                .sslMode(url.sslMode())
                .applicationName(applicationName)
                .connectTimeout(CONNECT_TIMEOUT)
                .statementTimeout(statementLimit)
                .tcpKeepAlive(true)
                .loopResources(loops)
                .codecRegistrar((owner, allocator, registry) ->
                        Mono.fromRunnable(() -> registry.addFirst(new TextArrayCodec(allocator))))
                .build();
        return new ConnectionPool(ConnectionPoolConfiguration.builder(new PostgresqlConnectionFactory(connection))
                .initialSize(0)
                .minIdle(0)
                .maxSize(connections)
                .maxCreateConnectionTime(CONNECT_TIMEOUT.multipliedBy(2))
                .build());
    }
}

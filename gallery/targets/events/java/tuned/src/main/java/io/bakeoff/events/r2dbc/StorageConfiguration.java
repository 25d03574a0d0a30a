package io.bakeoff.events.r2dbc;

import io.bakeoff.events.postgres.PostgresErrors;
import io.bakeoff.events.r2dbc.PostgresConnections.Timeouts;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.Storage;
import io.r2dbc.pool.ConnectionPool;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.netty.resources.LoopResources;

/** The database of the tuned applications, whose connections share the event loops of the server. */
@Configuration(proxyBeanMethods = false)
public class StorageConfiguration {
    /** A longer wait for a connection fails: as long as writes are retried. */
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(5);

    @Bean(destroyMethod = "dispose")
    ConnectionPool connections(
            Settings settings, @Value("${spring.application.name}") String name, LoopResources loops) {
        return PostgresConnections.pool(
                settings.database(),
                settings.poolSize(),
                name,
                loops,
                new Timeouts(ACQUIRE_TIMEOUT, PostgresErrors.STATEMENT_TIMEOUT));
    }

    @Bean
    Storage storage(ConnectionPool connections) {
        return new PostgresStorage(connections, PostgresErrors.REPLY_TIMEOUT);
    }
}

package io.bakeoff.events.process;

import io.bakeoff.events.postgres.PostgresConnections;
import io.bakeoff.events.postgres.PostgresConnections.Timeouts;
import io.bakeoff.events.postgres.PostgresStorage;
import io.bakeoff.events.settings.DatabaseUrl;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.settings.SettingsPostProcessor;
import io.bakeoff.events.training.TrainingDatabase;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Storage;
import io.r2dbc.pool.ConnectionPool;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

/** The beans that both applications share. */
@Configuration(proxyBeanMethods = false)
@Import(TrainingDatabase.class)
public class EventsConfiguration {
    /** The server cancels a statement that takes longer. */
    private static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(10);

    /** A longer wait for a connection fails: as long as writes are retried. */
    private static final Duration ACQUIRE_TIMEOUT = Duration.ofSeconds(5);

    /** Additional time for the server to report a cancelled statement. */
    private static final Duration GRACE = Duration.ofMillis(500);

    @Bean
    Settings settings(ConfigurableEnvironment environment) {
        return SettingsPostProcessor.settings(environment);
    }

    @Bean
    DatabaseUrl database(Settings settings) {
        return settings.database();
    }

    /** The event loops, which serve requests and database connections. Neither blocks. */
    @Bean(destroyMethod = "dispose")
    LoopResources loops(Settings settings) {
        return LoopResources.create("worker", settings.workers(), true);
    }

    @Bean(destroyMethod = "dispose")
    ConnectionPool connections(
            DatabaseUrl database,
            Settings settings,
            @Value("${spring.application.name}") String name,
            LoopResources loops) {
        return PostgresConnections.pool(
                database, settings.poolSize(), name, loops, new Timeouts(ACQUIRE_TIMEOUT, STATEMENT_TIMEOUT));
    }

    @Bean
    Storage storage(ConnectionPool connections) {
        return new PostgresStorage(connections, STATEMENT_TIMEOUT.plus(GRACE));
    }

    @Bean
    EventWriter writer(Storage storage, Settings settings) {
        return new EventWriter(storage, settings, Schedulers.parallel());
    }

    @Bean
    WriterLifecycle writerLifecycle(Settings settings, Storage storage, EventWriter writer) {
        return new WriterLifecycle(settings, storage, writer);
    }

    @Bean
    ReadyListener readyListener(Settings settings, ServerPort port) {
        return new ReadyListener(settings, port);
    }
}

package io.bakeoff.events.process;

import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.settings.SettingsPostProcessor;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Intake;
import io.bakeoff.events.writing.Storage;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

/** The beans that all applications share. Each adds its {@link Storage} and its server. */
@Configuration(proxyBeanMethods = false)
public class EventsConfiguration {
    @Bean
    Settings settings(ConfigurableEnvironment environment) {
        return SettingsPostProcessor.settings(environment);
    }

    /** The event loops of the server. Handlers never block. */
    @Bean(destroyMethod = "dispose")
    LoopResources loops(Settings settings) {
        return LoopResources.create("worker", settings.workers(), true);
    }

    @Bean
    EventWriter writer(Storage storage, Settings settings) {
        return new EventWriter(storage, settings, Schedulers.parallel());
    }

    @Bean
    Intake intake(Settings settings) {
        return new Intake(settings.intakeBytes());
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

package io.bakeoff.events.training;

import io.bakeoff.events.settings.DatabaseUrl;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Profile;

/** The database of a training run. */
@Configuration(proxyBeanMethods = false)
@Profile(Training.PROFILE)
public class TrainingDatabase {
    @Bean
    FakePostgres postgres() throws IOException {
        return new FakePostgres();
    }

    @Bean
    @Primary
    DatabaseUrl fakeDatabase(FakePostgres postgres) {
        return postgres.url();
    }
}

package io.bakeoff.events.training;

import io.bakeoff.events.settings.DatabaseUrl;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Profile;

/** What a training run uses for a database. */
@Configuration(proxyBeanMethods = false)
@Profile(Training.PROFILE)
public class TrainingDatabase {
    @Bean
    PretendPostgres postgres() throws IOException {
        return new PretendPostgres();
    }

    @Bean
    @Primary
    DatabaseUrl pretendedDatabase(PretendPostgres postgres) {
        return postgres.url();
    }
}

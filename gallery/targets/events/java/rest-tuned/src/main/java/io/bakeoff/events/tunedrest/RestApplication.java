package io.bakeoff.events.tunedrest;

import io.bakeoff.events.process.EventsConfiguration;
import io.bakeoff.events.r2dbc.StorageConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.annotation.Import;

/** The events API over REST, tuned. */
@SpringBootApplication(proxyBeanMethods = false, exclude = ErrorWebFluxAutoConfiguration.class)
@Import({EventsConfiguration.class, StorageConfiguration.class})
public class RestApplication {
    /** Starts the process. */
    public static void main(String[] arguments) {
        SpringApplication.run(RestApplication.class, arguments);
    }
}

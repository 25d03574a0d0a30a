package io.bakeoff.events.rest;

import io.bakeoff.events.process.EventsConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.webflux.autoconfigure.error.ErrorWebFluxAutoConfiguration;
import org.springframework.context.annotation.Import;

/** The events API over REST. */
@SpringBootApplication(proxyBeanMethods = false, exclude = ErrorWebFluxAutoConfiguration.class)
@Import(EventsConfiguration.class)
public class RestApplication {
    /** Starts the process. */
    public static void main(String[] arguments) {
        SpringApplication.run(RestApplication.class, arguments);
    }
}

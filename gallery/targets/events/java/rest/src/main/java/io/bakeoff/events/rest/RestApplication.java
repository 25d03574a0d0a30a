package io.bakeoff.events.rest;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The events API over REST. */
@SpringBootApplication(scanBasePackages = "io.bakeoff.events", proxyBeanMethods = false)
public class RestApplication {
    /** Starts the process. */
    public static void main(String[] arguments) {
        SpringApplication.run(RestApplication.class, arguments);
    }
}

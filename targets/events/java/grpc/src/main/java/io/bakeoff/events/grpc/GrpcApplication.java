package io.bakeoff.events.grpc;

import io.bakeoff.events.process.EventsConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** The events API over gRPC. */
@SpringBootApplication(proxyBeanMethods = false)
@Import(EventsConfiguration.class)
public class GrpcApplication {
    /** Starts the process. */
    public static void main(String[] arguments) {
        SpringApplication.run(GrpcApplication.class, arguments);
    }
}

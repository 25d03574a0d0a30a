package io.bakeoff.events.tunedgrpc;

import io.bakeoff.events.process.EventsConfiguration;
import io.bakeoff.events.r2dbc.StorageConfiguration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Import;

/** The events API over gRPC, tuned. */
@SpringBootApplication(proxyBeanMethods = false)
@Import({EventsConfiguration.class, StorageConfiguration.class})
public class GrpcApplication {
    /** Starts the process. */
    public static void main(String[] arguments) {
        SpringApplication.run(GrpcApplication.class, arguments);
    }
}

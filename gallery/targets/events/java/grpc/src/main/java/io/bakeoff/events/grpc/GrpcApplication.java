package io.bakeoff.events.grpc;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The events API over gRPC. */
@SpringBootApplication(scanBasePackages = "io.bakeoff.events", proxyBeanMethods = false)
public class GrpcApplication {
    /** Starts the process. */
    public static void main(String[] arguments) {
        SpringApplication.run(GrpcApplication.class, arguments);
    }
}

package io.bakeoff.events.rest;

import io.bakeoff.events.process.ServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** The HTTP server, on as many event loops as {@code WORKERS}. */
@Configuration(proxyBeanMethods = false)
class ServerConfiguration {
    @Bean
    ServerPort port(Environment environment) {
        return () -> environment.getRequiredProperty("local.server.port", Integer.class);
    }

    @Bean
    ReactorResourceFactory resources(LoopResources loops) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResources(loops);
        return resources;
    }
}

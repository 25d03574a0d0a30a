package io.bakeoff.events.rest;

import io.bakeoff.events.process.ServerPort;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** The HTTP server, on as many event loops as {@code WORKERS}. */
@Configuration(proxyBeanMethods = false)
class ServerConfiguration {
    /** A request that takes longer to arrive is answered 408. */
    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    @Bean
    ServerPort port(Environment environment) {
        return () -> environment.getRequiredProperty("local.server.port", Integer.class);
    }

    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> limits() {
        return factory -> factory.addServerCustomizers(server -> server.requestTimeout(REQUEST_TIMEOUT));
    }

    @Bean
    ReactorResourceFactory resources(LoopResources loops) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResources(loops);
        return resources;
    }
}

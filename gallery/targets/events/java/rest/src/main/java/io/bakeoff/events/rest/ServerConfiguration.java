package io.bakeoff.events.rest;

import io.bakeoff.events.process.Reads;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.settings.ConnectionLimits;
import io.bakeoff.events.settings.Settings;
import io.netty.channel.ChannelOption;
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
    @Bean
    ServerPort port(Environment environment) {
        return () -> environment.getRequiredProperty("local.server.port", Integer.class);
    }

    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> limits(Settings settings) {
        ConnectionLimits limits = settings.limits();
        return factory -> factory.addServerCustomizers(
                server -> server.childOption(ChannelOption.RECVBUF_ALLOCATOR, Reads.oneBufferEachTurn())
                        // A request that takes longer to arrive is answered 408.
                        .requestTimeout(limits.read())
                        .maxPipelineDepth(limits.streams())
                        .http2Settings(http2 -> http2.maxConcurrentStreams(limits.streams())));
    }

    @Bean
    ReactorResourceFactory resources(LoopResources loops) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResources(loops);
        return resources;
    }
}

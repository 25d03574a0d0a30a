package io.bakeoff.events.tunedrest;

import io.bakeoff.events.process.Reads;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.settings.ConnectionLimits;
import io.bakeoff.events.settings.Settings;
import io.netty.channel.ChannelOption;
import java.time.Duration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.web.reactive.function.server.HandlerStrategies;
import org.springframework.web.reactive.function.server.RouterFunctions;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/** The HTTP server. */
@Configuration(proxyBeanMethods = false)
class ServerConfiguration {
    /** Connections waiting to be accepted: thousands of clients may connect at once. */
    private static final int BACKLOG = 4_096;

    @Bean
    ServerPort port(Environment environment) {
        return () -> environment.getRequiredProperty("local.server.port", Integer.class);
    }

    /** The server runs on the threads that serve the database, too. */
    @Bean
    ReactorResourceFactory resources(LoopResources loops) {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setLoopResources(loops);
        return resources;
    }

    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> server(Settings settings) {
        ConnectionLimits limits = settings.limits();
        return factory -> {
            factory.addServerCustomizers(server -> server.option(ChannelOption.SO_BACKLOG, BACKLOG));
            factory.addServerCustomizers(
                    server -> server.childOption(ChannelOption.RECVBUF_ALLOCATOR, Reads.oneBufferEachTurn()));
            factory.addServerCustomizers(
                    server -> server.http2Settings(http2 -> http2.maxConcurrentStreams(limits.streams())));
            factory.addServerCustomizers(server -> disconnectSlowClients(server, limits.read()));
        };
    }

    static HttpServer disconnectSlowClients(HttpServer server, Duration limit) {
        // With TLS the codec is added only after negotiation.
        return server.configuration().isSecure()
                ? server.idleTimeout(limit).requestTimeout(limit)
                : server.doOnChannelInit((observer, channel, address) -> channel.pipeline()
                        .addAfter(NettyPipeline.HttpCodec, "slowClientHandler", new SlowClientHandler(limit)));
    }

    /** Bypasses the DispatcherHandler, whose share of a request's CPU is large. */
    @Bean
    HttpHandler handler(EventRoutes routes, UnexpectedErrors errors) {
        return RouterFunctions.toHttpHandler(
                routes, HandlerStrategies.builder().exceptionHandler(errors).build());
    }
}

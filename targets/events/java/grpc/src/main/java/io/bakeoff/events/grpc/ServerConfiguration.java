package io.bakeoff.events.grpc;

import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.settings.Authorization;
import io.bakeoff.events.settings.Settings;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.ServerBuilderCustomizer;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import reactor.netty.resources.LoopResources;

/** The gRPC server. */
@Configuration(proxyBeanMethods = false)
class ServerConfiguration {
    /** Calls at once on one connection. Clients may share a connection between many users. */
    private static final int CALLS_PER_CONNECTION = 4_096;

    /** A client that connects and says nothing is let go. */
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(20);

    /** Connections that wait to be accepted: thousands of clients may start at the same moment. */
    private static final int BACKLOG = 4_096;

    @Bean
    ServerPort port(GrpcServerLifecycle server) {
        return server::getPort;
    }

    @Bean
    ServerBuilderCustomizer<NettyServerBuilder> server(LoopResources loops, Settings settings) {
        EventLoopGroup group = loops.onServer(LoopResources.DEFAULT_NATIVE);
        return server -> guarded(server, group, settings.authorization(), SlowClients.LIMIT)
                .bossEventLoopGroup(group)
                .channelType(loops.onChannelClass(ServerSocketChannel.class, group))
                .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .handshakeTimeout(HANDSHAKE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION);
    }

    /** A server that checks each call before a handler sees it, and whose handlers never wait. */
    static NettyServerBuilder guarded(
            NettyServerBuilder server, EventLoopGroup loops, Authorization authorization, Duration patience) {
        IncomingCalls calls = new IncomingCalls(loops, patience);
        // The server runs on the threads that serve the database, too.
        return server.workerEventLoopGroup(loops)
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .decompressorRegistry(Compression.ACCEPTED)
                .addStreamTracerFactory(calls)
                .fallbackHandlerRegistry(new UnknownMethods())
                // The last one is asked first.
                .intercept(new Compression())
                .intercept(new TokenCheck(authorization))
                .intercept(calls);
    }
}

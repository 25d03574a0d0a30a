package io.bakeoff.events.tunedgrpc;

import io.bakeoff.events.process.Reads;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.settings.Authorization;
import io.bakeoff.events.settings.ConnectionLimits;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.Intake;
import io.grpc.BindableService;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
    /** Connections waiting to be accepted: thousands of clients may connect at once. */
    private static final int BACKLOG = 4_096;

    @Bean
    ServerPort port(GrpcServerLifecycle server) {
        return server::getPort;
    }

    /** Spring Boot adds v1; many clients only know v1alpha. */
    @Bean
    @SuppressWarnings("deprecation")
    BindableService reflectionV1Alpha() {
        return ProtoReflectionService.newInstance();
    }

    @Bean
    ServerBuilderCustomizer<NettyServerBuilder> server(LoopResources loops, Settings settings, Intake intake) {
        EventLoopGroup group = loops.onServer(LoopResources.DEFAULT_NATIVE);
        ConnectionLimits limits = settings.limits();
        return server -> guarded(server, group, settings.authorization(), intake, limits.read())
                .bossEventLoopGroup(group)
                .channelFactory(() -> guarded(loops.onChannel(ServerSocketChannel.class, group)))
                .withOption(ChannelOption.SO_BACKLOG, BACKLOG)
                .withChildOption(ChannelOption.RECVBUF_ALLOCATOR, Reads.oneBufferEachTurn())
                .handshakeTimeout(limits.readHeader().toMillis(), TimeUnit.MILLISECONDS)
                .maxConcurrentCallsPerConnection(limits.streams());
    }

    /** Checks the frames of each connection that is accepted. */
    private static ServerSocketChannel guarded(ServerSocketChannel listener) {
        listener.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object connection) {
                ((Channel) connection).pipeline().addLast(new FrameFloods());
                context.fireChannelRead(connection);
            }
        });
        return listener;
    }

    /** A server that checks each call before its handler, and whose handlers never block. */
    static NettyServerBuilder guarded(
            NettyServerBuilder server,
            EventLoopGroup loops,
            Authorization authorization,
            Intake intake,
            Duration timeout) {
        IncomingCalls calls = new IncomingCalls(loops, intake, timeout);
        // Shared with the database connections.
        return server.workerEventLoopGroup(loops)
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .decompressorRegistry(Compression.ACCEPTED)
                .addStreamTracerFactory(calls)
                .fallbackHandlerRegistry(new UnknownMethods())
                // Interceptors run in reverse order.
                .intercept(new Compression())
                .intercept(new TokenCheck(authorization))
                .intercept(calls);
    }
}

package io.bakeoff.events.grpc;

import io.bakeoff.events.process.Reads;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.settings.ConnectionLimits;
import io.bakeoff.events.settings.Settings;
import io.grpc.BindableService;
import io.grpc.Codec;
import io.grpc.DecompressorRegistry;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.ProtoReflectionService;
import io.netty.channel.ChannelOption;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.grpc.server.autoconfigure.GrpcServerExecutorProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.grpc.server.ServerBuilderCustomizer;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;

/** The gRPC server, which Spring Boot configures. */
@Configuration(proxyBeanMethods = false)
class ServerConfiguration {
    @Bean
    ServerPort port(GrpcServerLifecycle server) {
        return server::getPort;
    }

    @Bean
    ServerBuilderCustomizer<NettyServerBuilder> limits(Settings settings) {
        ConnectionLimits limits = settings.limits();
        return server -> server.withChildOption(ChannelOption.RECVBUF_ALLOCATOR, Reads.oneBufferEachTurn())
                .handshakeTimeout(limits.readHeader().toMillis(), TimeUnit.MILLISECONDS)
                .maxConcurrentCallsPerConnection(limits.streams());
    }

    /** Handlers never block, so that they need no more threads than {@code WORKERS}. */
    @Bean(destroyMethod = "shutdown")
    ExecutorService handlers(Settings settings) {
        return Executors.newFixedThreadPool(settings.workers());
    }

    @Bean
    GrpcServerExecutorProvider executor(ExecutorService handlers) {
        return () -> handlers;
    }

    /** The contract allows no compressed messages. */
    @Bean
    DecompressorRegistry uncompressedOnly() {
        return DecompressorRegistry.emptyInstance().with(Codec.Identity.NONE, false);
    }

    /** Spring Boot adds v1; many clients only know v1alpha. */
    @Bean
    @SuppressWarnings("deprecation")
    BindableService reflectionV1Alpha() {
        return ProtoReflectionService.newInstance();
    }
}

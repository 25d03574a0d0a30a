package io.bakeoff.events.tunedgrpc;

import io.bakeoff.events.settings.Authorization;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Intake;
import io.grpc.Codec;
import io.grpc.Compressor;
import io.grpc.CompressorRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/** The services on a free port, and a client's connection to it. */
final class TestServer {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Server server;
    private final ManagedChannel channel;

    TestServer(EventWriter writer, OpenStreams streams, Authorization authorization, Duration timeout)
            throws IOException {
        this(writer, streams, authorization, new Intake(64 << 20), timeout);
    }

    TestServer(EventWriter writer, OpenStreams streams, Authorization authorization, Intake intake, Duration timeout)
            throws IOException {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = ServerConfiguration.guarded(NettyServerBuilder.forAddress(free), loops, authorization, intake, timeout)
                .bossEventLoopGroup(loops)
                .channelType(NioServerSocketChannel.class)
                .addService(new EventService(writer, streams))
                .addService(new HealthService(writer, streams))
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                .usePlaintext()
                .compressorRegistry(compressors())
                .build();
    }

    ManagedChannel channel() {
        return channel;
    }

    private static CompressorRegistry compressors() {
        CompressorRegistry compressors = CompressorRegistry.newEmptyInstance();
        compressors.register(new Codec.Gzip());
        compressors.register(new GzipThatSaysIdentity());
        return compressors;
    }

    /** Marks messages as compressed in a call that declares no compression. */
    private static final class GzipThatSaysIdentity implements Compressor {
        @Override
        public String getMessageEncoding() {
            return "identity";
        }

        @Override
        public OutputStream compress(OutputStream to) throws IOException {
            return new GZIPOutputStream(to);
        }
    }

    void close() throws InterruptedException {
        channel.shutdownNow();
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS);
    }
}

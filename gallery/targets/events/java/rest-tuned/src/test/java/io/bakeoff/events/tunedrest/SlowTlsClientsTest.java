package io.bakeoff.events.tunedrest;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.writing.Events;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.server.HttpServer;

/** With TLS Reactor Netty disconnects slow clients, which only a real connection can test. */
class SlowTlsClientsTest {
    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final int PAUSE_MS = 100;

    /** Bytes that take four times the limit to arrive. */
    private static final int BYTES = 4 * (int) LIMIT.toMillis() / PAUSE_MS;

    private final DisposableServer server = ServerConfiguration.disconnectSlowClients(
                    HttpServer.create()
                            .host("127.0.0.1")
                            .port(0)
                            .protocol(HttpProtocol.H2, HttpProtocol.HTTP11)
                            .secure(tls -> tls.sslContext(certificate())),
                    LIMIT)
            .bindNow();

    @AfterEach
    void stop() {
        server.disposeNow();
    }

    @Test
    void aSlowHeadDoesNotResetTheTimeout() throws Exception {
        try (SSLSocket client = connect()) {
            client.setSoTimeout(PAUSE_MS);
            int sent = 0;
            while (sent < BYTES && isOpen(client)) {
                client.getOutputStream().write('P');
                sent++;
            }
            assertThat(sent).as("the connection ended before the head was sent").isLessThan(BYTES);
        }
    }

    /** Waits for a while for a reply of the server. */
    private static boolean isOpen(SSLSocket client) throws IOException {
        try {
            return client.getInputStream().read() >= 0;
        } catch (SocketTimeoutException nothing) {
            return true;
        } catch (SocketException closed) {
            return false;
        }
    }

    private SSLSocket connect() throws Exception {
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        SSLSocket client = (SSLSocket) trusting.getSocketFactory().createSocket("127.0.0.1", server.port());
        SSLParameters parameters = client.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"http/1.1"});
        client.setSSLParameters(parameters);
        client.startHandshake();
        return client;
    }

    private static SslContext certificate() {
        try (InputStream certificate =
                        Events.class.getResourceAsStream("/io/bakeoff/events/settings/ec-certificate.pem");
                InputStream key = Events.class.getResourceAsStream("/io/bakeoff/events/settings/ec-key.pem")) {
            return SslContextBuilder.forServer(certificate, key)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            Protocol.ALPN,
                            SelectorFailureBehavior.NO_ADVERTISE,
                            SelectedListenerFailureBehavior.ACCEPT,
                            "h2",
                            "http/1.1"))
                    .build();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}

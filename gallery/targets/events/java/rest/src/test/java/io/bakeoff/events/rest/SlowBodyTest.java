package io.bakeoff.events.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.process.ServerPort;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The server's own request timeout, which only a real connection can test. */
class SlowBodyTest {
    static class Impatient {
        @Bean
        WebServerFactoryCustomizer<NettyReactiveWebServerFactory> impatience() {
            return factory -> factory.addServerCustomizers(server -> server.requestTimeout(Duration.ofMillis(100)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 9\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"})
    void aBodyThatDoesNotArriveIsARequestTimeout(String begun) throws Exception {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(
                                RestApplication.class, EventControllerTest.InMemory.class, Impatient.class)
                        .run("--SERVER_PORT=0");
                Socket client = new Socket(
                        "127.0.0.1", application.getBean(ServerPort.class).number())) {
            String head = "POST /api/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
            client.getOutputStream().write((head + begun).getBytes(StandardCharsets.US_ASCII));
            String reply = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(reply)
                    .startsWith("HTTP/1.1 408 ")
                    .containsIgnoringCase("\r\nConnection: close\r\n")
                    .endsWith("{\"success\":false,\"message\":\"body: incomplete\"}");
        }
    }
}

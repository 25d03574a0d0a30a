package io.bakeoff.events.tunedrest;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.process.ServerPort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The whole application with a real socket and a real database. */
@EnabledIfEnvironmentVariable(
        named = "TEST_DATABASE_URL",
        matches = "postgres.+",
        disabledReason = "needs a PostgreSQL: set TEST_DATABASE_URL")
class RestApplicationTest {
    private static ConfigurableApplicationContext application;

    private final HttpClient client = HttpClient.newHttpClient();
    private final ServerPort port = application.getBean(ServerPort.class);

    @BeforeAll
    static void start() {
        application = SpringApplication.run(
                RestApplication.class, "--SERVER_PORT=0", "--DATABASE_URL=" + System.getenv("TEST_DATABASE_URL"));
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void storesAnEventAndIsHealthy() throws Exception {
        String event = "{\"eventHeader\":{\"uuid\":\"" + UUID.randomUUID() + "\",\"eventName\":\"CarCreated\"},"
                + "\"eventBody\":{\"entities\":[{\"entityType\":\"Car\",\"entityId\":\"" + UUID.randomUUID()
                + "\",\"updatedAttributes\":{}}]}}";
        HttpResponse<String> stored = send(request("/api/v1/events")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(event)));
        assertThat(stored.statusCode()).isEqualTo(200);
        assertThat(stored.body()).isEqualTo("{\"success\":true,\"message\":\"Event processed successfully\"}");
        assertThat(send(request("/api/v1/events/health")).statusCode()).isEqualTo(200);
    }

    @Test
    void unexpectedErrorsGetTheContractsReply() throws Exception {
        HttpResponse<String> reply = send(request("/no/such%20path?x=%00"));
        assertThat(reply.statusCode()).isEqualTo(404);
        assertThat(reply.body()).isEqualTo("{\"success\":false,\"message\":\"path: not found\"}");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.number() + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}

package io.bakeoff.events.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Limits;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Events;
import io.bakeoff.events.writing.FakeStorage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.function.BodyInserters;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** The whole application over a real connection, with an in-memory database. */
class EventControllerTest {
    private static final String EVENT =
            "{\"eventHeader\":{\"uuid\":\"6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b\",\"eventName\":\"CarCreated\"},"
                    + "\"eventBody\":{\"entities\":[{\"entityType\":\"Car\",\"entityId\":\"1\","
                    + "\"updatedAttributes\":{\"a\":0.10,\"b\":12345678901234567890}}]}}";
    private static final String STORED = "{\"success\":true,\"message\":\"Event processed successfully\"}";

    private ConfigurableApplicationContext application = start("");
    private FakeStorage storage = application.getBean(FakeStorage.class);

    static class InMemory {
        @Bean
        @Primary
        FakeStorage fakeStorage() {
            return new FakeStorage();
        }
    }

    @AfterEach
    void stop() {
        application.close();
    }

    @Test
    void anEventIsStored() {
        post("/api/v1/events", EVENT)
                .expectStatus()
                .isOk()
                .expectHeader()
                .contentType(MediaType.APPLICATION_JSON)
                .expectBody(String.class)
                .isEqualTo(STORED);
        assertThat(storage.stored()).containsExactly(List.of("Car/1={\"a\":0.10,\"b\":12345678901234567890}"));
    }

    @Test
    void aBulkReportsEachEvent() {
        String wrongType = EVENT.replace("\"CarCreated\"", "5");
        post("/api/v1/events/bulk", "[" + EVENT + ",{}," + wrongType + ",7]")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.message")
                .isEqualTo("1 of 4 events processed")
                .jsonPath("$.failures[0].message")
                .isEqualTo("eventHeader: required")
                .jsonPath("$.failures[1].message")
                .isEqualTo("eventHeader.eventName: must be a string")
                .jsonPath("$.failures[2].message")
                .isEqualTo("event: must be an object");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/events|{}|eventHeader: required",
                "/api/v1/events|[]|body: must be an object",
                "/api/v1/events|{|body: not valid JSON",
                "/api/v1/events|{\"eventHeader\":[]}|eventHeader: must be an object",
                "/api/v1/events|{\"eventBody\":{\"entities\":{}}}|eventBody.entities: must be an array",
                "/api/v1/events|{\"eventBody\":{\"entities\":[{\"entityId\":1}]}}"
                        + "|eventBody.entities[0].entityId: must be a string",
                "/api/v1/events/bulk|{}|body: must be an array",
                "/api/v1/events/bulk|[]|events: must hold 1 to 10000 events"
            })
    void aBrokenRuleIsABadRequest(String path, String body, String message) {
        post(path, body).expectStatus().isBadRequest().expectBody(String.class).isEqualTo(failure(message));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aBodyAboveTheLimitIsTooLarge(int excess) {
        String padded = EVENT + " ".repeat(Limits.EVENT_BYTES - EVENT.length() + excess);
        Flux<DataBuffer> pieces = Flux.just(padded.substring(0, 9), padded.substring(9))
                .map(piece -> DefaultDataBufferFactory.sharedInstance.wrap(piece.getBytes(StandardCharsets.UTF_8)));
        WebTestClient.ResponseSpec chunked = client().post()
                .uri("/api/v1/events")
                .contentType(MediaType.APPLICATION_JSON)
                .body(BodyInserters.fromDataBuffers(pieces))
                .exchange();
        for (WebTestClient.ResponseSpec reply : List.of(post("/api/v1/events", padded), chunked)) {
            reply.expectStatus()
                    .isEqualTo(excess == 0 ? 200 : 413)
                    .expectBody(String.class)
                    .isEqualTo(excess == 0 ? STORED : failure("body: larger than 1048576 bytes"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain, identity, 415",
        "application/vnd.api+json, identity, 415",
        "application/json, gzip, 415",
        "application/json;charset=utf-8, identity, 200"
    })
    void onlyPlainJsonIsAccepted(String type, String coding, int status) {
        client().post()
                .uri("/api/v1/events")
                .header("Content-Type", type)
                .header("Content-Encoding", coding)
                .bodyValue(EVENT.getBytes(StandardCharsets.UTF_8))
                .exchange()
                .expectStatus()
                .isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/events, 405, method: not allowed",
        "POST, /api/v1/events/health, 405, method: not allowed",
        "POST, /api/v1/events/, 404, path: not found",
        "GET, /, 404, path: not found"
    })
    void otherPathsAndMethods(String method, String path, int status, String message) {
        client().method(HttpMethod.valueOf(method))
                .uri(path)
                .exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectBody(String.class)
                .isEqualTo(failure(message));
    }

    @Test
    void aFullQueueIs429WithRetryAfter() {
        storage.hold();
        EventWriter writer = application.getBean(EventWriter.class);
        while (writer.offer(Events.event("1={}"), outcome -> {})) {
            assertThat(storage.held()).isLessThan(3);
        }
        for (String path : List.of("/api/v1/events", "/api/v1/events/bulk")) {
            post(path, path.endsWith("bulk") ? "[" + EVENT + "]" : EVENT)
                    .expectStatus()
                    .isEqualTo(429)
                    .expectHeader()
                    .valueEquals("Retry-After", "1")
                    .expectBody(String.class)
                    .isEqualTo(failure("overloaded: the write queue is full, retry later"));
        }
        while (storage.held() > 0) {
            storage.release();
        }
    }

    @Test
    void aDatabaseThatTimesOutIs503WithRetryAfter() {
        storage.hang(Duration.ZERO, Schedulers.parallel());
        post("/api/v1/events", EVENT)
                .expectStatus()
                .isEqualTo(503)
                .expectHeader()
                .valueEquals("Retry-After", "1")
                .expectBody(String.class)
                .isEqualTo(failure("database: unavailable, retry later"));
        client().get()
                .uri("/api/v1/events/health")
                .exchange()
                .expectStatus()
                .isEqualTo(503)
                .expectBody(String.class)
                .isEqualTo("{\"healthy\":false,\"message\":\"database: unavailable\"}");
    }

    @Test
    void errorsOfTheDatabaseAreNotRevealedToClients() {
        storage.refuse("1");
        post("/api/v1/events", EVENT)
                .expectStatus()
                .isEqualTo(500)
                .expectBody(String.class)
                .isEqualTo(failure("internal error"));
    }

    @Test
    void aTokenIsCheckedBeforeAnythingElse() {
        application.close();
        application = start("secret");
        post("/no/such/path", EVENT)
                .expectStatus()
                .isUnauthorized()
                .expectHeader()
                .valueEquals("WWW-Authenticate", "Bearer")
                .expectBody(String.class)
                .isEqualTo(failure("authorization: a valid bearer token is required"));
        client().get().uri("/api/v1/events/health").exchange().expectStatus().isOk();
        client().get()
                .uri("/no/such/path")
                .header("Authorization", "Bearer secret")
                .exchange()
                .expectStatus()
                .isNotFound();
    }

    private static ConfigurableApplicationContext start(String token) {
        return new SpringApplicationBuilder(RestApplication.class, InMemory.class)
                .run("--SERVER_PORT=0", "--QUEUE_EVENTS=1", "--API_TOKEN=" + token);
    }

    private WebTestClient client() {
        int port = application.getBean(ServerPort.class).number();
        return WebTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + port)
                .responseTimeout(Duration.ofSeconds(60))
                .build();
    }

    private WebTestClient.ResponseSpec post(String path, String body) {
        return client().post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(body)
                .exchange();
    }

    private static String failure(String message) {
        return "{\"success\":false,\"message\":\"" + message + "\"}";
    }
}

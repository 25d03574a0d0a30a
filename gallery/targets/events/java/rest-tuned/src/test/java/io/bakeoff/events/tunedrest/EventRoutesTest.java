package io.bakeoff.events.tunedrest;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Limits;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Events;
import io.bakeoff.events.writing.FakeStorage;
import io.bakeoff.events.writing.Intake;
import io.netty.handler.timeout.ReadTimeoutException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.test.scheduler.VirtualTimeScheduler;

class EventRoutesTest {
    private static final String EVENT =
            "{\"eventHeader\":{\"uuid\":\"6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b\",\"eventName\":\"CarCreated\"},"
                    + "\"eventBody\":{\"entities\":[{\"entityType\":\"Car\",\"entityId\":\"1\","
                    + "\"updatedAttributes\":{\"a\":0.10}}]}}";
    private static final String STORED = "{\"success\":true,\"message\":\"Event processed successfully\"}";

    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final FakeStorage storage = new FakeStorage();
    private final Settings settings = Settings.read(Map.of("QUEUE_EVENTS", "1")::get);
    private final EventWriter writer = new EventWriter(storage, settings, clock);
    private final Intake intake = new Intake(1 << 20);
    private final WebTestClient client = client(settings);

    @Test
    void anEventIsStored() {
        post("/api/v1/events", EVENT)
                .expectStatus()
                .isOk()
                .expectHeader()
                .contentType(MediaType.APPLICATION_JSON)
                .expectBody(String.class)
                .isEqualTo(STORED);
        assertThat(storage.stored()).containsExactly(List.of("Car/1={\"a\":0.10}"));
    }

    @Test
    void aBodyThatComesInPiecesIsPutTogether() {
        Flux<DataBuffer> pieces = Flux.just(EVENT.substring(0, 7), "", EVENT.substring(7))
                .map(piece -> DefaultDataBufferFactory.sharedInstance.wrap(piece.getBytes(StandardCharsets.UTF_8)));
        client.post()
                .uri("/api/v1/events")
                .contentType(MediaType.APPLICATION_JSON)
                .body(BodyInserters.fromDataBuffers(pieces))
                .exchange()
                .expectStatus()
                .isOk();
    }

    @Test
    void aBodyForWhichTheBudgetHasNoRoomIsRefused() {
        Intake.Charge other = intake.charge();
        assertThat(other.add(900_000)).isTrue();
        post("/api/v1/events/bulk", "[" + " ".repeat(200_000) + EVENT + "]")
                .expectStatus()
                .isEqualTo(503)
                .expectHeader()
                .valueEquals("Retry-After", "1")
                .expectHeader()
                .valueEquals("Connection", "close")
                .expectBody(String.class)
                .isEqualTo(failure("server: unfinished requests occupy too much memory, retry later"));
        other.release();
        post("/api/v1/events/bulk", "[" + " ".repeat(200_000) + EVENT + "]")
                .expectStatus()
                .isOk();
    }

    @Test
    void aBodyThatIsTooSlowIsNoBrokenOne() {
        ServerResponse tooSlow = replyTo(Flux.error(ReadTimeoutException.INSTANCE));
        assertThat(tooSlow.statusCode().value()).isEqualTo(408);
        assertThat(tooSlow.headers().getConnection()).containsExactly("close");
        ServerResponse broken = replyTo(Flux.error(new IOException("the connection is reset")));
        assertThat(broken.statusCode().value()).isEqualTo(400);
    }

    @Test
    void aBulkReportsEachEvent() {
        post("/api/v1/events/bulk", "[" + EVENT + ",{}]")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.success")
                .isEqualTo(false)
                .jsonPath("$.message")
                .isEqualTo("1 of 2 events processed")
                .jsonPath("$.failures[0].index")
                .isEqualTo(1)
                .jsonPath("$.failures[0].message")
                .isEqualTo("eventHeader: required");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"/api/v1/events|{}|eventHeader: required", "/api/v1/events/bulk|{}|body: must be an array"})
    void aBrokenRuleIsABadRequest(String path, String body, String message) {
        post(path, body).expectStatus().isBadRequest().expectBody(String.class).isEqualTo(failure(message));
    }

    @Test
    void anEmptyBodyIsNotJson() {
        client.post()
                .uri("/api/v1/events")
                .contentType(MediaType.APPLICATION_JSON)
                .exchange()
                .expectBody(String.class)
                .isEqualTo(failure("body: not valid JSON"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aBodyAboveTheLimitIsTooLarge(int excess) {
        String padded = EVENT + " ".repeat(Limits.EVENT_BYTES - EVENT.length() + excess);
        WebTestClient.ResponseSpec known = post("/api/v1/events", padded);
        Flux<DataBuffer> pieces = Flux.just(padded.substring(0, 9), padded.substring(9))
                .map(piece -> DefaultDataBufferFactory.sharedInstance.wrap(piece.getBytes(StandardCharsets.UTF_8)));
        WebTestClient.ResponseSpec unknown = client.post()
                .uri("/api/v1/events")
                .contentType(MediaType.APPLICATION_JSON)
                .body(BodyInserters.fromDataBuffers(pieces))
                .exchange();
        for (WebTestClient.ResponseSpec reply : List.of(known, unknown)) {
            reply.expectStatus()
                    .isEqualTo(excess == 0 ? 200 : 413)
                    .expectBody(String.class)
                    .isEqualTo(excess == 0 ? STORED : failure("body: larger than 1048576 bytes"));
        }
    }

    @ParameterizedTest
    @CsvSource({"text/plain", "application/jsonx", "application/*", "nonsense/x"})
    void otherMediaTypesAreRejected(String type) {
        client.post()
                .uri("/api/v1/events")
                .header("Content-Type", type)
                .header("Content-Encoding", "gzip")
                .bodyValue(EVENT.getBytes(StandardCharsets.UTF_8))
                .exchange()
                .expectStatus()
                .isEqualTo(415)
                .expectBody(String.class)
                .isEqualTo(failure("content-type: must be application/json"));
    }

    @ParameterizedTest
    @CsvSource({"gzip,415", "identity,200", "Identity,200", "br,415"})
    void otherContentCodingsAreRejected(String coding, int status) {
        client.post()
                .uri("/api/v1/events")
                .header("Content-Type", "Application/JSON ; a=b")
                .header("Content-Encoding", coding)
                .bodyValue(EVENT.getBytes(StandardCharsets.UTF_8))
                .exchange()
                .expectStatus()
                .isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/events, 405, POST, method: not allowed",
        "DELETE, /api/v1/events/bulk, 405, POST, method: not allowed",
        "POST, /api/v1/events/health, 405, 'GET, HEAD', method: not allowed",
        "POST, /api/v1/events/, 404, , path: not found",
        "POST, /API/v1/events, 404, , path: not found",
        "GET, /, 404, , path: not found"
    })
    void otherPathsAndMethods(String method, String path, int status, String allow, String message) {
        WebTestClient.ResponseSpec reply =
                client.method(HttpMethod.valueOf(method)).uri(path).exchange();
        reply.expectStatus().isEqualTo(status).expectBody(String.class).isEqualTo(failure(message));
        if (allow != null) {
            reply.expectHeader().valueEquals("Allow", allow);
        }
    }

    @Test
    void aFullQueueIs429WithRetryAfter() {
        storage.hold();
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
    }

    @Test
    void anUnavailableDatabaseIs503WithRetryAfter() {
        storage.leave();
        writer.store(Events.event("1={}")).subscribe();
        clock.advanceTimeBy(Duration.ofSeconds(5));
        post("/api/v1/events", EVENT)
                .expectStatus()
                .isEqualTo(503)
                .expectHeader()
                .valueEquals("Retry-After", "1")
                .expectBody(String.class)
                .isEqualTo(failure("database: unavailable, retry later"));
        health().expectStatus()
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
    void healthy() {
        health().expectStatus().isOk().expectBody(String.class).isEqualTo("{\"healthy\":true,\"message\":\"OK\"}");
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /api/v1/events, , 401",
        "POST, /api/v1/events, Bearer wrong, 401",
        "GET, /no/such/path, , 401",
        "POST, /api/v1/events, Bearer secret, 415",
        "POST, /api/v1/events, bearer secret, 415",
        "POST, /api/v1/events, Bearer secret|Bearer other, 401",
        "POST, /api/v1/events, Bearer secret|Bearer secret, 401",
        "GET, /api/v1/events/health, , 200",
        "POST, /api/v1/events/health, , 405",
        "GET, /api/v1/events/health/, , 401"
    })
    void aTokenIsCheckedBeforeAnythingElse(String method, String path, String header, int status) {
        WebTestClient.RequestBodySpec request = client(Settings.read(Map.of("API_TOKEN", "secret")::get))
                .method(HttpMethod.valueOf(method))
                .uri(path);
        if (header != null) {
            request.header("Authorization", header.split("\\|"));
        }
        WebTestClient.ResponseSpec reply = request.exchange();
        reply.expectStatus().isEqualTo(status);
        if (status == 401) {
            reply.expectHeader()
                    .valueEquals("WWW-Authenticate", "Bearer")
                    .expectBody(String.class)
                    .isEqualTo(failure("authorization: a valid bearer token is required"));
        }
    }

    private WebTestClient client(Settings wanted) {
        return WebTestClient.bindToRouterFunction(new EventRoutes(new EventHandler(writer, intake), wanted))
                .build();
    }

    private WebTestClient.ResponseSpec post(String path, String body) {
        return client.post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .bodyValue(body)
                .exchange();
    }

    private ServerResponse replyTo(Flux<DataBuffer> body) {
        MockServerHttpRequest request = MockServerHttpRequest.post("/api/v1/events")
                .contentType(MediaType.APPLICATION_JSON)
                .body(body);
        return new EventHandler(writer, intake)
                .processEvent(ServerRequest.create(MockServerWebExchange.from(request), List.of()))
                .block();
    }

    private WebTestClient.ResponseSpec health() {
        return client.get().uri("/api/v1/events/health").exchange();
    }

    private static String failure(String message) {
        return "{\"success\":false,\"message\":\"" + message + "\"}";
    }
}

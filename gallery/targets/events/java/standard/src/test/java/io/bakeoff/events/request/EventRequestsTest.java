package io.bakeoff.events.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.model.Problem;
import jakarta.validation.Validation;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class EventRequestsTest {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String UUID = "6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b";

    private final EventRequests requests =
            new EventRequests(Validation.buildDefaultValidatorFactory().getValidator(), JsonMapper.shared());

    @Test
    void aValidRequestBecomesAnEvent() {
        ObjectNode attributes = NODES.objectNode()
                .put("price", new BigDecimal("0.10"))
                .put("text", "ä😀")
                .putNull("owner");
        Event event = (Event) requests.validate(new EventRequest(header(), body(attributes)));
        assertThat(event.entities()).singleElement().satisfies(entity -> {
            assertThat(entity.key()).isEqualTo(Key.of("Car", "1"));
            assertThat(new String(entity.attributes(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"price\":0.10,\"text\":\"ä😀\",\"owner\":null}");
        });
    }

    static Stream<Arguments> brokenRules() {
        return Stream.of(
                Arguments.of(new EventRequest(null, null), "eventHeader: required"),
                Arguments.of(new EventRequest(header(), null), "eventBody: required"),
                header(new EventHeader("", "a", null, null, null), "uuid: required"),
                header(new EventHeader(UUID + "0", "a", null, null, null), "uuid: must be a UUID"),
                header(new EventHeader(UUID, "", null, null, null), "eventName: required"),
                header(
                        new EventHeader(UUID, "😀".repeat(101), null, null, null),
                        "eventName: must have at most 100 characters"),
                header(
                        new EventHeader(UUID, "a\0", null, null, null),
                        "eventName: contains \\u0000, which cannot be stored"),
                header(
                        new EventHeader(UUID, "a", null, null, "\ud800"),
                        "eventType: contains a lone surrogate, which cannot be stored"),
                header(
                        new EventHeader(UUID, "a", true, null, null),
                        "createdDate: must be an RFC 3339 timestamp or epoch milliseconds"),
                body(null, ": must hold 1 to 1000 entities"),
                body(List.of(), ": must hold 1 to 1000 entities"),
                body(Collections.singletonList(null), "[0]: must be an object"),
                body(List.of(new EntityUpdate(null, "1", NODES.objectNode())), "[0].entityType: required"),
                body(
                        List.of(new EntityUpdate("Car", "1".repeat(256), NODES.objectNode())),
                        "[0].entityId: must have at most 255 characters"),
                body(List.of(new EntityUpdate("Car", "1", null)), "[0].updatedAttributes: required"));
    }

    @ParameterizedTest
    @MethodSource
    void brokenRules(EventRequest request, String message) {
        assertThat(requests.validate(request)).isEqualTo(Problem.invalid(message));
    }

    @Test
    void lengthsAreCountedInCodePoints() {
        EventHeader header = new EventHeader(UUID, "😀".repeat(100), null, null, null);
        assertThat(requests.validate(new EventRequest(header, body(NODES.objectNode()))))
                .isInstanceOf(Event.class);
    }

    static Stream<Arguments> attributes() {
        return Stream.of(
                Arguments.of(nested(31), null),
                Arguments.of(nested(32), "nested deeper than 32 levels"),
                Arguments.of(NODES.stringNode("\0"), "contains \\u0000, which cannot be stored"),
                Arguments.of(NODES.objectNode().put("\udc00", 1), "contains a lone surrogate, which cannot be stored"),
                Arguments.of(NODES.numberNode(new BigDecimal("1e308")), null),
                Arguments.of(NODES.numberNode(new BigDecimal("0e400")), null),
                Arguments.of(NODES.numberNode(BigInteger.TEN.pow(308)), null),
                Arguments.of(NODES.numberNode(BigInteger.TEN.pow(309)), "contains a number outside the double range"),
                Arguments.of(NODES.numberNode(new BigDecimal("1e309")), "contains a number outside the double range"),
                Arguments.of(NODES.numberNode(new BigDecimal("1e-400")), "contains a number outside the double range"),
                Arguments.of(
                        NODES.numberNode(new BigDecimal("1e2000000000")),
                        "contains a number outside the double range"));
    }

    @ParameterizedTest
    @MethodSource
    void attributes(JsonNode value, String reason) {
        Decoded decoded = requests.validate(
                new EventRequest(header(), body(NODES.objectNode().set("value", value))));
        if (reason == null) {
            assertThat(decoded).isInstanceOf(Event.class);
        } else {
            assertThat(decoded).isEqualTo(Problem.invalid("eventBody.entities[0].updatedAttributes: " + reason));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-01-15T10:30:00Z",
                "2024-02-29t23:59:59.123456789012z",
                "2024-01-15T10:30:00+23:59",
                "0000-01-01T00:00:00-00:00",
                "1705314600000",
                "-1",
                ""
            })
    void timestamps(String text) {
        assertThat(dated(text)).isInstanceOf(Event.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2023-02-29T10:30:00Z",
                "2024-01-15T24:00:00Z",
                "2024-01-15T10:30:60Z",
                "2024-01-15T10:30:00",
                "2024-01-15T10:30:00+24:00",
                "2024-01-15T10:30:00Z\n",
                "2024-01-15",
                "1705314600000000",
                "1.5",
                "now"
            })
    void otherTexts(String text) {
        assertThat(dated(text)).isInstanceOf(Problem.class);
    }

    private Decoded dated(Object date) {
        EventHeader header = new EventHeader(UUID, "a", date, date, null);
        return requests.validate(new EventRequest(header, body(NODES.objectNode())));
    }

    private static Arguments header(EventHeader header, String message) {
        return Arguments.of(new EventRequest(header, body(NODES.objectNode())), "eventHeader." + message);
    }

    private static Arguments body(List<EntityUpdate> entities, String message) {
        return Arguments.of(new EventRequest(header(), new EventBody(entities)), "eventBody.entities" + message);
    }

    private static EventHeader header() {
        return new EventHeader(UUID, "CarCreated", null, 1705314600000L, null);
    }

    private static EventBody body(ObjectNode attributes) {
        return new EventBody(List.of(new EntityUpdate("Car", "1", attributes)));
    }

    private static JsonNode nested(int levels) {
        JsonNode value = NODES.objectNode();
        for (int level = 1; level < levels; level++) {
            value = level % 2 == 0
                    ? NODES.arrayNode().add(value)
                    : NODES.objectNode().set("a", value);
        }
        return value;
    }
}

package io.bakeoff.events.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Problem;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cases that the contract's vectors do not reach, and one example of each that they do. */
class JsonEventsTest {
    private static final String HEADER =
            "\"eventHeader\":{\"uuid\":\"6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b\",\"eventName\":\"CarCreated\"}";

    @Test
    void anEventContainsWhatIsStored() {
        String attributes = "{ \"price\" : 0.10, \"note\":\"\\u00e9\" }";
        Event event = (Event) decode(entity("{\"entityType\":\"C\\u0061r\",\"entityId\":\"日\",\"x\":[{}],"
                + "\"updatedAttributes\":" + attributes + "}"));
        Entity entity = event.entities().get(0);
        assertThat(entity.key()).hasToString("Car/日");
        assertThat(new String(entity.attributes(), UTF_8)).isEqualTo(attributes);
        assertThat(event.bytes()).isGreaterThan("Car日".getBytes(UTF_8).length + attributes.length());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|body: must be an object",
                "null|body: must be an object",
                "``|body: not valid JSON",
                "{} x|body: not valid JSON",
                "{\"eventHeader\":1,\"eventBody\":}|body: not valid JSON",
                "{}|eventHeader: required",
                "{\"eventHeader\":[]}|eventHeader: must be an object",
                "{\"eventHeader\":{}}|eventBody: required",
                "{\"eventHeader\":null,\"event\\u0048eader\":{}}|eventHeader: duplicate field",
                "{\"eventHeader\":{},\"eventBody\":{}}|eventHeader.uuid: required",
                "{\"eventHeader\":{\"uuid\":1},\"eventBody\":{}}|eventHeader.uuid: must be a string",
                "{\"eventHeader\":{\"uuid\":1.5},\"eventBody\":{}}|eventHeader.uuid: must be a string",
                "{\"eventHeader\":{\"uuid\":\"x\\u0000\"},\"eventBody\":{}}"
                        + "|`eventHeader.uuid: contains \\u0000, which cannot be stored`",
            })
    void aBrokenRuleIsReported(String body, String message) {
        assertThat(decode(body)).isEqualTo(Problem.invalid(message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"entityId\":\"1\",\"updatedAttributes\":{}}|entityType: required",
                "{\"entityType\":\"\",\"entityId\":\"1\",\"updatedAttributes\":{}}|entityType: required",
                "{\"entityType\":\"a\",\"entityId\":\"1\",\"updatedAttributes\":[]}|updatedAttributes: must be an object",
                "{\"entityType\":\"a\",\"entityId\":\"1\",\"updatedAttributes\":{\"a\":[1e999]}}"
                        + "|updatedAttributes: contains a number outside the double range",
                "{\"entityType\":\"a\",\"entityId\":\"1\",\"updatedAttributes\":{},\"entityId\":2}"
                        + "|entityId: duplicate field"
            })
    void theEntityIsReportedToo(String entity, String message) {
        String sound = "{\"entityType\":\"a\",\"entityId\":\"1\",\"updatedAttributes\":{}},";
        assertThat(decode(entity(sound + entity))).isEqualTo(Problem.invalid("eventBody.entities[1]." + message));
    }

    @Test
    void lengthsAreCountedInCodePoints() {
        assertThat(decode(entity(entityOfType("😀".repeat(100))))).isInstanceOf(Event.class);
        assertThat(decode(entity(entityOfType("😀".repeat(101)))))
                .isEqualTo(Problem.invalid("eventBody.entities[0].entityType: must have at most 100 characters"));
    }

    @Test
    void theFirstProblemOfAttributesIsReported() {
        assertThat(unstorable("{\"a\":[1e999,\"\\u0000\"]}")).endsWith("outside the double range");
        assertThat(unstorable("{\"a\":[\"\\u0000\",1e999]}")).endsWith("\\u0000, which cannot be stored");
        assertThat(unstorable("{\"\\ud800\":1}")).endsWith("a lone surrogate, which cannot be stored");
        assertThat(unstorable("{\"a\":" + "[".repeat(32) + "]".repeat(32) + "}"))
                .endsWith("nested deeper than 32 levels");
        assertThat(decode(entity(entityWith("{\"a\":" + "[".repeat(31) + "]".repeat(31) + "}"))))
                .isInstanceOf(Event.class);
    }

    @Test
    void aBulkDecodesEachElement() {
        String event = "{" + HEADER + ",\"eventBody\":{\"entities\":[" + entityWith("{}") + "]}}";
        Bulk bulk = (Bulk) JsonEvents.bulk(("[ " + event + ", 1 , {}]").getBytes(UTF_8));
        assertThat(bulk.events().get(0)).isInstanceOf(Event.class);
        assertThat(bulk.events().subList(1, 3))
                .isEqualTo(Arrays.<Decoded>asList(
                        Problem.invalid("event: must be an object"), Problem.invalid("eventHeader: required")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|body: must be an array",
                "[]|events: must hold 1 to 10000 events",
                "[{},1]|0 of 2 events processed; event 0: eventHeader: required",
                "[{},1|body: not valid JSON"
            })
    void aBulkWithoutValidEventsIsRejected(String body, String message) {
        assertThat(JsonEvents.bulk(body.getBytes(UTF_8))).isEqualTo(Problem.invalid(message));
    }

    @Test
    void aBulkOfTooManyIsTooLarge() {
        assertThat(JsonEvents.bulk(("[0" + ",0".repeat(10_000) + "]").getBytes(UTF_8)))
                .isEqualTo(Problem.tooLarge("events: must hold 1 to 10000 events"));
        assertThat(JsonEvents.bulk(("[0" + ",0".repeat(10_000) + ",]").getBytes(UTF_8)))
                .as("syntax comes first")
                .isEqualTo(Problem.invalid("body: not valid JSON"));
    }

    @Test
    void invalidUtf8IsReportedBeforeSyntax() {
        byte[] body = "{\"ä".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(JsonEvents.event(body)).isEqualTo(Problem.invalid("body: not valid UTF-8"));
        assertThat(JsonEvents.bulk(body)).isEqualTo(Problem.invalid("body: not valid UTF-8"));
    }

    private static Decoded decode(String body) {
        return JsonEvents.event(body.getBytes(UTF_8));
    }

    private static String unstorable(String attributes) {
        return ((Problem) decode(entity(entityWith(attributes)))).message();
    }

    private static String entity(String entities) {
        return "{" + HEADER + ",\"eventBody\":{\"entities\":[" + entities + "]}}";
    }

    private static String entityOfType(String type) {
        return "{\"entityType\":\"" + type + "\",\"entityId\":\"1\",\"updatedAttributes\":{}}";
    }

    private static String entityWith(String attributes) {
        return "{\"entityType\":\"Car\",\"entityId\":\"1\",\"updatedAttributes\":" + attributes + "}";
    }
}

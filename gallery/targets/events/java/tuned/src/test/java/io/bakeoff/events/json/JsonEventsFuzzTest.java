package io.bakeoff.events.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.model.Problem;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** For any bytes the decoder agrees with Jackson and the JDK. */
class JsonEventsFuzzTest {
    private static final Problem NOT_UTF8 = Problem.invalid("body: not valid UTF-8");
    private static final Problem NOT_JSON = Problem.invalid("body: not valid JSON");
    private static final Problem NOT_AN_ARRAY = Problem.invalid("body: must be an array");
    private static final String NOT_AN_OBJECT = ": must be an object";

    @FuzzTest(maxDuration = "5m")
    void anEvent(byte[] body) {
        Decoded decoded = JsonEvents.event(body);
        assertThat(syntax(decoded)).isEqualTo(expectedSyntax(body));
        if (decoded instanceof Event event) {
            JsonNode expected =
                    Jackson.tree(new String(body, UTF_8)).path("eventBody").path("entities");
            assertThat(event.entities()).hasSize(expected.size());
            for (int index = 0; index < expected.size(); index++) {
                compare(event.entities().get(index), expected.get(index));
            }
        }
    }

    /** The elements of a bulk are decoded like single events. */
    @FuzzTest(maxDuration = "5m")
    void aBulk(byte[] body) {
        DecodedBulk decoded = JsonEvents.bulk(body);
        assertThat(syntax(decoded)).isEqualTo(expectedSyntax(body));
        if (syntax(decoded) == null && !decoded.equals(NOT_AN_ARRAY)) {
            List<Decoded> elements = Jackson.elements(new String(body, UTF_8)).stream()
                    .map(element -> JsonEvents.event(element.getBytes(UTF_8)))
                    .toList();
            assertThat(describe(decoded)).isEqualTo(describe(Bulk.of(elements, elements.size())));
        }
    }

    private static void compare(Entity entity, JsonNode expected) {
        String type = expected.path("entityType").asString();
        String id = expected.path("entityId").asString();
        assertThat(entity.key()).isEqualTo(Key.of(type, id));
        assertThat(Jackson.tree(new String(entity.attributes(), UTF_8))).isEqualTo(expected.path("updatedAttributes"));
    }

    /** The problem if it is one of syntax, else null. */
    private static Object syntax(Object decoded) {
        return decoded.equals(NOT_UTF8) || decoded.equals(NOT_JSON) ? decoded : null;
    }

    private static Object expectedSyntax(byte[] body) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
            return Jackson.reads(text) ? null : NOT_JSON;
        } catch (CharacterCodingException notUtf8) {
            return NOT_UTF8;
        }
    }

    private static String describe(DecodedBulk bulk) {
        return bulk instanceof Bulk valid
                ? valid.events().stream()
                        .map(JsonEventsFuzzTest::describe)
                        .toList()
                        .toString()
                : ((Problem) bulk).message().replace("body" + NOT_AN_OBJECT, "event" + NOT_AN_OBJECT);
    }

    private static String describe(Decoded decoded) {
        return decoded instanceof Event event
                ? event.entities().stream()
                        .map(entity -> entity.key() + "=" + new String(entity.attributes(), UTF_8))
                        .toList()
                        .toString()
                : ((Problem) decoded).message().replace("body" + NOT_AN_OBJECT, "event" + NOT_AN_OBJECT);
    }
}

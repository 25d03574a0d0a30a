package io.bakeoff.events.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Whatever the bytes, a decoder answers, and what it accepts is what others can read. */
class JsonEventsFuzzTest {
    private static final JsonFactory JACKSON = new JsonFactory();

    @FuzzTest(maxDuration = "5m")
    void anEvent(byte[] body) {
        if (JsonEvents.event(body) instanceof Event event) {
            event.entities().forEach(entity -> readToTheEnd(entity.attributes()));
        }
    }

    @FuzzTest(maxDuration = "5m")
    void aBulk(byte[] body) {
        if (JsonEvents.bulk(body) instanceof Problem problem) {
            assertThat(problem.kind()).isIn(Problem.Kind.INVALID, Problem.Kind.TOO_LARGE);
        }
    }

    private static void readToTheEnd(byte[] attributes) {
        assertThat(Arrays.copyOf(attributes, 1)).isEqualTo(new byte[] {'{'});
        try (JsonParser parser =
                JACKSON.createParser(ObjectReadContext.empty(), new String(attributes, StandardCharsets.UTF_8))) {
            while (parser.nextToken() != null) {
                parser.getString();
            }
        }
    }
}

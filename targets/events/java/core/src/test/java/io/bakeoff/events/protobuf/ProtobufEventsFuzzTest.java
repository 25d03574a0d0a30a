package io.bakeoff.events.protobuf;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Problem;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Whatever the bytes, a decoder answers, and what it accepts is JSON that others can read. */
class ProtobufEventsFuzzTest {
    private static final JsonFactory JACKSON = new JsonFactory();

    @FuzzTest(maxDuration = "5m")
    void anEvent(byte[] message) {
        if (ProtobufEvents.event(message) instanceof Event event) {
            event.entities().forEach(entity -> readToTheEnd(entity.attributes()));
        }
    }

    @FuzzTest(maxDuration = "5m")
    void aBulk(byte[] message) {
        if (ProtobufEvents.bulk(message) instanceof Problem problem) {
            assertThat(problem.kind()).isIn(Problem.Kind.INVALID, Problem.Kind.TOO_LARGE);
        }
    }

    private static void readToTheEnd(byte[] attributes) {
        try (JsonParser parser =
                JACKSON.createParser(ObjectReadContext.empty(), new String(attributes, StandardCharsets.UTF_8))) {
            while (parser.nextToken() != null) {
                parser.getString();
            }
        }
    }
}

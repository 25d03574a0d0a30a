package io.bakeoff.events.tunedgrpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.example.grpc.EntityUpdate;
import com.example.grpc.EventBatchRequest;
import com.example.grpc.EventRequest;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.Value;
import com.google.protobuf.WireFormat;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.protobuf.ProtobufEvents;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** For any bytes the decoder agrees with the generated classes. */
class ProtobufEventsFuzzTest {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Problem NOT_A_MESSAGE = Problem.invalid("body: not a valid message");

    @FuzzTest(maxDuration = "5m")
    void anEvent(byte[] message) {
        Decoded decoded = ProtobufEvents.event(message);
        Optional<EventRequest> expected = parse(EventRequest.parser(), message);
        if (expected.isEmpty()) {
            assertThat(decoded).isEqualTo(NOT_A_MESSAGE);
        } else if (decoded instanceof Event event) {
            List<EntityUpdate> entities = expected.get().getEventBody().getEntitiesList();
            assertThat(event.entities()).hasSameSizeAs(entities);
            for (int index = 0; index < entities.size(); index++) {
                compare(event.entities().get(index), entities.get(index));
            }
        }
    }

    /** The elements of a batch are decoded like single events. */
    @FuzzTest(maxDuration = "5m")
    void aBulk(byte[] message) throws IOException {
        DecodedBulk decoded = ProtobufEvents.bulk(message);
        if (parse(EventBatchRequest.parser(), message).isEmpty()) {
            assertThat(decoded).isEqualTo(NOT_A_MESSAGE);
        } else if (!decoded.equals(NOT_A_MESSAGE)) {
            List<Decoded> elements = elements(message).stream()
                    .<Decoded>map(ProtobufEvents::event)
                    .toList();
            assertThat(describe(decoded)).isEqualTo(describe(Bulk.of(elements, elements.size())));
        }
    }

    private static <T> Optional<T> parse(Parser<T> parser, byte[] message) {
        CodedInputStream input = CodedInputStream.newInstance(message);
        input.setRecursionLimit(Integer.MAX_VALUE);
        try {
            return Optional.of(parser.parseFrom(input));
        } catch (InvalidProtocolBufferException malformed) {
            return Optional.empty();
        }
    }

    private static void compare(Entity entity, EntityUpdate expected) {
        assertThat(entity.key()).isEqualTo(Key.of(expected.getEntityType(), expected.getEntityId()));
        JsonNode attributes = MAPPER.readTree(new String(entity.attributes(), UTF_8));
        compareMembers(attributes, expected.getUpdatedAttributesMap());
    }

    private static void compareMembers(JsonNode object, Map<String, Value> expected) {
        assertThat(object.propertyNames()).containsExactlyInAnyOrderElementsOf(expected.keySet());
        expected.forEach((name, value) -> compareValue(object.get(name), value));
    }

    private static void compareValue(JsonNode value, Value expected) {
        switch (expected.getKindCase()) {
            case NULL_VALUE -> assertThat(value.isNull()).isTrue();
            case BOOL_VALUE -> assertThat(value.booleanValue()).isEqualTo(expected.getBoolValue());
            case NUMBER_VALUE ->
                assertThat(Double.parseDouble(value.toString())).isEqualTo(expected.getNumberValue());
            case STRING_VALUE -> assertThat(value.stringValue()).isEqualTo(expected.getStringValue());
            case STRUCT_VALUE -> compareMembers(value, expected.getStructValue().getFieldsMap());
            case LIST_VALUE -> {
                List<Value> values = expected.getListValue().getValuesList();
                assertThat(value.size()).isEqualTo(values.size());
                for (int index = 0; index < values.size(); index++) {
                    compareValue(value.get(index), values.get(index));
                }
            }
            case KIND_NOT_SET -> throw new AssertionError("a value without a kind was accepted");
        }
    }

    /** The bytes of the messages in a batch. */
    private static List<byte[]> elements(byte[] batch) throws IOException {
        List<byte[]> elements = new ArrayList<>();
        CodedInputStream input = CodedInputStream.newInstance(batch);
        for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
            if (tag == (EventBatchRequest.EVENTS_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                elements.add(input.readByteArray());
            } else {
                input.skipField(tag);
            }
        }
        return elements;
    }

    private static String describe(DecodedBulk bulk) {
        return bulk instanceof Bulk valid
                ? valid.events().stream()
                        .map(ProtobufEventsFuzzTest::describe)
                        .toList()
                        .toString()
                : bulk.toString();
    }

    private static String describe(Decoded decoded) {
        return decoded instanceof Event event
                ? event.entities().stream()
                        .map(entity -> entity.key() + "=" + new String(entity.attributes(), UTF_8))
                        .toList()
                        .toString()
                : decoded.toString();
    }
}

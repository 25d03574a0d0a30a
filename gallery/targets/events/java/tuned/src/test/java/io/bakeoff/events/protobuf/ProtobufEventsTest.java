package io.bakeoff.events.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages that no client library and no contract vector produces. */
class ProtobufEventsTest {
    @Test
    void everyKindOfValue() {
        Message list = new Message()
                .message(1, new Message().varint(4, 1))
                .message(1, new Message().varint(4, 0))
                .message(1, new Message().text(3, "q\"\\\n\u0001é"));
        Message struct = new Message().message(1, entry("x", new Message().varint(1, 0)));
        assertThat(attributes(new Message()
                        .message(3, entry("n", new Message().number(2, 0.1)))
                        .message(3, entry("l", new Message().message(6, list)))
                        .message(3, entry("s", new Message().message(5, struct)))))
                .isEqualTo("{\"n\":0.1,\"l\":[true,false,\"q\\\"\\\\\\u000a\\u0001é\"],\"s\":{\"x\":null}}");
    }

    @Test
    void noAttributesAreAnEmptyObject() {
        assertThat(attributes(new Message())).isEqualTo("{}");
    }

    @Test
    void theLastKindCountsAndPartsOfOneAreMerged() {
        Message first = new Message().message(5, new Message().message(1, entry("a", new Message().varint(1, 0))));
        Message second = new Message().message(5, new Message().message(1, entry("b", new Message().varint(1, 0))));
        Message lists = new Message()
                .message(6, new Message().message(1, new Message().varint(4, 1)))
                .message(6, new Message())
                .message(6, new Message().message(1, new Message().varint(4, 0)));
        assertThat(attributes(new Message()
                        .message(3, new Message().text(1, "k").message(2, first).message(2, second))))
                .isEqualTo("{\"k\":{\"a\":null,\"b\":null}}");
        assertThat(attributes(new Message().message(3, entry("k", lists)))).isEqualTo("{\"k\":[true,false]}");
        assertThat(attributes(new Message()
                        .message(3, entry("k", new Message().text(3, "no").number(2, 1)))))
                .isEqualTo("{\"k\":1}");
    }

    @Test
    void aKeyMayBeLastOrMissing() {
        Message value = new Message().varint(4, 1);
        assertThat(attributes(new Message()
                        .message(3, new Message().message(2, value).text(1, "k"))
                        .message(3, new Message().message(2, value))))
                .isEqualTo("{\"k\":true,\"\":true}");
    }

    @Test
    void partsOfAnEventAreMerged() {
        byte[] event = new Message()
                .message(1, new Message().text(1, "6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b"))
                .message(2, new Message().message(1, entity("1", new Message())))
                .message(1, new Message().text(2, "CarCreated"))
                .message(2, new Message().message(1, entity("2", new Message())))
                .toBytes();
        assertThat(((Event) ProtobufEvents.event(event)).entities())
                .extracting(entity -> entity.key().toString())
                .containsExactly("Car/1", "Car/2");
    }

    @Test
    void textThatCannotBeStored() {
        assertThat(unstorable(new Message().number(2, Double.NaN)))
                .isEqualTo("contains a number outside the double range");
        assertThat(unstorable(new Message().text(3, "a\0"))).isEqualTo("contains \\u0000, which cannot be stored");
        assertThat(unstorable(new Message())).isEqualTo("contains a value without a kind");
        assertThat(unstorable(nestedLists(32))).isEqualTo("nested deeper than 32 levels");
        assertThat(unstorable(nestedLists(5_000))).isEqualTo("nested deeper than 32 levels");
        assertThat(attributes(new Message().message(3, entry("k", nestedLists(31)))))
                .isEqualTo("{\"k\":" + "[".repeat(31) + "]".repeat(31) + "}");
    }

    @Test
    void malformedMessages() {
        Problem problem = Problem.invalid("body: not a valid message");
        assertThat(ProtobufEvents.event(new byte[] {1})).isEqualTo(problem);
        assertThat(ProtobufEvents.isMalformed(ProtobufEvents.event(new byte[] {1})))
                .isTrue();
        assertThat(ProtobufEvents.event(event(entity("1", new Message().bytes(3, new byte[] {10, 1, (byte) 0xff})))))
                .isEqualTo(problem);
        assertThat(ProtobufEvents.bulk(new byte[] {1})).isEqualTo(problem);
    }

    @Test
    void aBulkDecodesEachElement() {
        byte[] sound = event(entity("1", new Message()));
        Message bulk = new Message()
                .bytes(1, sound)
                .bytes(1, new byte[0])
                .bytes(1, new Message().text(9, "x".repeat(Limits.EVENT_BYTES)).toBytes());
        assertThat(((Bulk) ProtobufEvents.bulk(bulk.toBytes())).events())
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Event.class),
                        second -> assertThat(second).isEqualTo(Problem.invalid("eventHeader: required")),
                        third -> assertThat(third).isEqualTo(Problem.invalid("event: larger than 1048576 bytes")));
    }

    @Test
    void aBulkOfTooManyIsTooLarge() {
        Message bulk = new Message();
        for (int index = 0; index <= Limits.BULK_EVENTS; index++) {
            bulk.bytes(1, new byte[0]);
        }
        assertThat(ProtobufEvents.bulk(bulk.toBytes()))
                .isEqualTo(Problem.tooLarge("events: must hold 1 to 10000 events"));
        assertThat(ProtobufEvents.bulk(new byte[0])).isEqualTo(Problem.invalid("events: must hold 1 to 10000 events"));
    }

    @Test
    void malformedMessagesAreDetectedAtAnyDepth() {
        byte[] notUtf8 = {(byte) 0xff};
        Message sound = new Message().text(3, "a");
        Message structs = new Message().message(5, new Message().message(1, entry("k", sound)));
        for (Message broken : List.of(
                new Message().bytes(3, notUtf8),
                new Message().bytes(6, notUtf8),
                new Message().message(5, new Message().message(1, new Message().bytes(1, notUtf8))),
                new Message().message(5, new Message().message(1, entry("k", new Message().bytes(3, notUtf8)))))) {
            for (int levels : new int[] {1, 31, 32, 33, 5_000}) {
                assertThat(unstorable(nestedLists(levels, broken))).isEqualTo("body: not a valid message");
            }
        }
        assertThat(unstorable(nestedLists(40, structs))).isEqualTo("nested deeper than 32 levels");
    }

    private static Message nestedLists(int levels) {
        return nestedLists(levels - 1, new Message().message(6, new Message()));
    }

    private static Message nestedLists(int levels, Message innermost) {
        Message value = innermost;
        for (int level = 0; level < levels; level++) {
            value = new Message().message(6, new Message().message(1, value));
        }
        return value;
    }

    private static Message entry(String key, Message value) {
        return new Message().text(1, key).message(2, value);
    }

    private static Message entity(String id, Message attributes) {
        return new Message().text(1, "Car").text(2, id).bytes(4, new byte[0]).append(attributes);
    }

    private static byte[] event(Message entity) {
        return new Message()
                .message(
                        1,
                        new Message()
                                .text(1, "6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b")
                                .text(2, "CarCreated"))
                .message(2, new Message().message(1, entity))
                .toBytes();
    }

    private static String attributes(Message attributes) {
        Decoded decoded = ProtobufEvents.event(event(entity("1", attributes)));
        return new String(((Event) decoded).entities().get(0).attributes(), UTF_8);
    }

    private static String unstorable(Message value) {
        Decoded decoded = ProtobufEvents.event(event(entity("1", new Message().message(3, entry("k", value)))));
        return ((Problem) decoded).message().replace("eventBody.entities[0].updatedAttributes: ", "");
    }
}

package io.bakeoff.events.tunedgrpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.grpc.EventRequest;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.bakeoff.events.protobuf.ProtobufEvents;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The custom decoder and the generated classes accept the same bytes. */
class DecoderAgreementTest {
    private static final int ROUNDS = 50_000;

    private final Random random = new Random(1);

    @Test
    void theSameBytesAreAMessage() {
        byte[] sound = message().toByteArray();
        assertThat(ProtobufEvents.isMalformed(ProtobufEvents.event(sound))).isFalse();
        int malformed = 0;
        int stricter = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] mutant = mutant(sound);
            boolean ours = ProtobufEvents.isMalformed(ProtobufEvents.event(mutant));
            boolean theirs = isMalformed(mutant);
            assertThat(ours).as(() -> HexFormat.of().formatHex(mutant)).isIn(theirs, true);
            malformed += theirs ? 1 : 0;
            stricter += ours && !theirs ? 1 : 0;
        }
        assertThat(malformed).isBetween(ROUNDS / 10, ROUNDS * 9 / 10);
        // Tags of more than 32 bits, which the generated classes truncate.
        assertThat(stricter).isLessThan(ROUNDS / 1_000);
    }

    private byte[] mutant(byte[] sound) {
        byte[] mutant = sound.clone();
        for (int change = random.nextInt(3); change >= 0; change--) {
            mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
        }
        return mutant;
    }

    private static boolean isMalformed(byte[] bytes) {
        try {
            EventRequest.parseFrom(bytes);
            return false;
        } catch (InvalidProtocolBufferException malformed) {
            return true;
        }
    }

    private static EventRequest message() {
        Value nested = Value.newBuilder()
                .setStructValue(Struct.newBuilder()
                        .putFields(
                                "list",
                                Value.newBuilder()
                                        .setListValue(ListValue.newBuilder()
                                                .addValues(Value.newBuilder().setNullValue(NullValue.NULL_VALUE))
                                                .addValues(Value.newBuilder().setNumberValue(1.5)))
                                        .build()))
                .build();
        EventRequest.Builder message = EventRequest.newBuilder();
        message.getEventHeaderBuilder().setUuid("6f1d").setEventName("CarCreated");
        message.getEventBodyBuilder()
                .addEntitiesBuilder()
                .setEntityType("Car")
                .setEntityId("ä")
                .putUpdatedAttributes("nested", nested)
                .putUpdatedAttributes(
                        "flag", Value.newBuilder().setBoolValue(true).build());
        return message.build();
    }
}

package io.bakeoff.events.tunedgrpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrameFloodsTest {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int END_STREAM = 1;
    private static final int ACK = 1;

    private final ByteBuf sent = Unpooled.buffer().writeZero(24);

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 9, 10_000})
    void emptyFramesWithoutEndCloseTheConnection(int size) {
        frame(DATA, 0, 3);
        frames(FrameFloods.LIMIT, DATA, 0);
        assertThat(staysOpen(size)).isTrue();
        frame(DATA, 0, 0);
        assertThat(staysOpen(size)).isFalse();
    }

    @Test
    void settingsCloseTheConnectionAlsoAmongOtherFramesThatCarryNothing() {
        frames(FrameFloods.LIMIT / 2, SETTINGS, 0);
        frames(FrameFloods.LIMIT, PING, 0);
        frames(FrameFloods.LIMIT / 2, DATA, 0);
        assertThat(staysOpen(1_000)).isTrue();
        frame(SETTINGS, 0, 6);
        assertThat(staysOpen(1_000)).isFalse();
    }

    @Test
    void settingsOfAConnectionWithCallsAreNoFlood() {
        for (int call = 0; call < 3 * FrameFloods.LIMIT; call++) {
            frame(SETTINGS, 0, 6);
            frame(HEADERS, 0, 20);
        }
        frames(3 * FrameFloods.LIMIT, SETTINGS, ACK);
        assertThat(staysOpen(1_000)).isTrue();
    }

    @Test
    void otherFramesAreNoFlood() {
        frames(FrameFloods.LIMIT, DATA, 0);
        frame(DATA, 0, 20_000);
        frames(FrameFloods.LIMIT, DATA, 0);
        frames(3 * FrameFloods.LIMIT, DATA, END_STREAM);
        frames(3 * FrameFloods.LIMIT, PING, 0);
        assertThat(staysOpen(1_000)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {DATA, HEADERS})
    void moreResetsThanEndsCloseTheConnection(int end) {
        for (int call = 0; call < 3 * FrameFloods.RESETS_LIMIT; call++) {
            frame(end, END_STREAM, 5);
            frame(RST_STREAM, 0, 4);
        }
        for (int call = 1; call < FrameFloods.RESETS_LIMIT; call++) {
            frame(HEADERS, 0, 20);
            frame(RST_STREAM, 0, 4);
        }
        assertThat(staysOpen(1_000)).isTrue();
        frame(RST_STREAM, 0, 4);
        assertThat(staysOpen(1_000)).isFalse();
    }

    private void frames(int count, int type, int flags) {
        for (int number = 0; number < count; number++) {
            frame(type, flags, 0);
        }
    }

    private void frame(int type, int flags, int length) {
        sent.writeMedium(length).writeByte(type).writeByte(flags).writeInt(1).writeZero(length);
    }

    /** Sends everything in pieces of so many bytes. */
    private boolean staysOpen(int size) {
        EmbeddedChannel connection = new EmbeddedChannel(new FrameFloods());
        ByteBuf bytes = sent.duplicate();
        int received = 0;
        while (bytes.isReadable() && connection.isOpen()) {
            connection.writeInbound(bytes.readRetainedSlice(Math.min(size, bytes.readableBytes())));
        }
        connection.advanceTimeBy(FrameFloods.PAUSE_SECONDS, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
        for (ByteBuf piece = connection.readInbound(); piece != null; piece = connection.readInbound()) {
            received += piece.readableBytes();
            piece.release();
        }
        assertThat(received).isLessThanOrEqualTo(sent.readableBytes());
        return connection.isOpen() && received == sent.readableBytes();
    }
}

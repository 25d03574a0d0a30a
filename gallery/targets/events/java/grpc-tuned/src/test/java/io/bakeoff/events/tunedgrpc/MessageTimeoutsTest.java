package io.bakeoff.events.tunedgrpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.writing.Intake;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls with a manual clock. */
class MessageTimeoutsTest {
    private static final long LIMIT_S = 60;

    private final EmbeddedChannel connection = new EmbeddedChannel();
    private final MessageTimeouts messageTimeouts =
            new MessageTimeouts(connection.eventLoop(), Duration.ofSeconds(LIMIT_S));
    private final List<String> ends = new ArrayList<>();

    @BeforeEach
    void stopTheClock() {
        connection.freezeTime();
    }

    @Test
    void theTimeoutOfAUnaryCallStartsWithTheCall() {
        call("a").sendsOneMessage();
        pass(LIMIT_S - 1);
        assertThat(ends).isEmpty();
        pass(1);
        assertThat(ends).containsExactly("a DEADLINE_EXCEEDED body: incomplete");
    }

    @Test
    void aSlowMessageDoesNotResetTheTimeout() {
        IncomingCall call = call("a");
        call.sendsOneMessage();
        call.inboundMessage(0);
        for (long second = 0; second < LIMIT_S; second++) {
            call.inboundWireSize(1);
            pass(1);
        }
        assertThat(ends).hasSize(1);
    }

    @Test
    void slowRepliesAreAllowed() {
        IncomingCall call = call("a");
        call.sendsOneMessage();
        call.received();
        pass(10 * LIMIT_S);
        assertThat(ends).isEmpty();
    }

    @Test
    void aStreamMayPauseBetweenMessagesOnly() {
        IncomingCall stream = call("a");
        pass(10 * LIMIT_S);
        stream.inboundMessage(0);
        stream.inboundMessageRead(0, 7, 7);
        pass(10 * LIMIT_S);
        assertThat(ends).isEmpty();
        stream.inboundMessage(1);
        pass(LIMIT_S);
        assertThat(ends).hasSize(1);
    }

    @Test
    void eachCallHasItsOwnTimeout() {
        call("first").sendsOneMessage();
        pass(1);
        IncomingCall gone = call("gone");
        gone.sendsOneMessage();
        pass(1);
        call("last").sendsOneMessage();
        gone.streamClosed(io.grpc.Status.CANCELLED);
        pass(LIMIT_S - 2);
        assertThat(ends).hasSize(1);
        pass(2);
        assertThat(ends)
                .containsExactly("first DEADLINE_EXCEEDED body: incomplete", "last DEADLINE_EXCEEDED body: incomplete");
    }

    private IncomingCall call(String name) {
        IncomingCall call = new IncomingCall(100, new Intake(0).charge(), messageTimeouts, null);
        call.refuseBy((status, atOnce) -> ends.add(name + " " + status.getCode() + " " + status.getDescription()));
        return call;
    }

    private void pass(long seconds) {
        connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }
}

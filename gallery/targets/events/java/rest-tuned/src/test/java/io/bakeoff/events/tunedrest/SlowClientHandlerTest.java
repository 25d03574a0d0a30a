package io.bakeoff.events.tunedrest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A connection with a manual clock. */
class SlowClientHandlerTest {
    private static final String HEAD = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n";
    private static final long LIMIT_S = 60;

    private int reads;
    private final EmbeddedChannel connection = new EmbeddedChannel();

    @BeforeEach
    void connect() {
        connection.freezeTime();
        connection
                .pipeline()
                .addLast(new CountedReads(), new HttpServerCodec(), new SlowClientHandler(Duration.ofSeconds(LIMIT_S)));
    }

    @Test
    void readingPausesWhileManyRequestsHaveNoReply() {
        for (int request = 0; request < SlowClientHandler.PIPELINED; request++) {
            receive(HEAD + "{}");
        }
        reads = 0;
        connection.read();
        assertThat(reads).isZero();
        reply();
        assertThat(reads).isOne();
    }

    @Test
    void readingPausesWhileRepliesAreUnread() {
        receive(HEAD + "{}");
        connection.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        reads = 0;
        connection.read();
        assertThat(reads).isZero();
        connection.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        connection.runPendingTasks();
        assertThat(reads).isOne();
    }

    @Test
    void anIdleClientIsDisconnected() {
        pass(LIMIT_S - 1);
        assertThat(connection.isOpen()).isTrue();
        pass(1);
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void aSlowHeadDoesNotResetTheTimeout() {
        receive("P");
        pass(LIMIT_S - 1);
        receive("O");
        pass(1);
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void aMissingBodyIsReported() {
        receive(HEAD + "{");
        pass(LIMIT_S);
        assertThat(connection.isOpen()).isTrue();
        assertThatThrownBy(connection::checkException).isInstanceOf(ReadTimeoutException.class);
        reply();
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void theDisconnectAlsoLimitsTheReply() {
        receive(HEAD + "{");
        pass(LIMIT_S);
        assertThatThrownBy(connection::checkException).isInstanceOf(ReadTimeoutException.class);
        pass(LIMIT_S);
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void slowRepliesAreAllowed() {
        receive(HEAD + "{}");
        pass(10 * LIMIT_S);
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void eachReplyResetsTheTimeout() {
        for (int request = 0; request < 3; request++) {
            receive(HEAD + "{}");
            reply();
            pass(LIMIT_S - 1);
            assertThat(connection.isOpen()).isTrue();
        }
        pass(1);
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void aReplyMayComeBeforeTheEndOfTheRequest() {
        receive(HEAD);
        reply();
        receive("{}");
        pass(LIMIT_S);
        assertThat(connection.isOpen()).isFalse();
    }

    private void receive(String text) {
        connection.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
        connection.releaseInbound();
    }

    private void reply() {
        connection.writeOutbound(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK));
        connection.releaseOutbound();
    }

    private void pass(long seconds) {
        connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }

    private final class CountedReads extends ChannelOutboundHandlerAdapter {
        @Override
        public void read(ChannelHandlerContext context) {
            reads++;
        }
    }
}

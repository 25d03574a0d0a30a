package io.bakeoff.events.tunedrest;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.timeout.ReadTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Disconnects a client that takes too long from one reply, or from connecting, to the end of its next request. Reads no
 * more while a client has many requests without a reply, or does not read its replies.
 *
 * <p>Replaces Reactor Netty's timeouts, which change the pipeline and set a timer for every request, and allow the body
 * as much time again as the head. Placed right after the HTTP codec of a connection.
 */
final class SlowClientHandler extends ChannelDuplexHandler {
    /** Requests of a connection that may wait for their replies; Reactor Netty has no limit. */
    static final int PIPELINED = 64;

    private final long limit;
    private long turnStarted;
    private boolean clientsTurn;
    private boolean receiving;
    private boolean answered;
    private boolean refused;
    private int unanswered;
    private boolean paused;

    /** A handler that disconnects a client after {@code limit}. */
    SlowClientHandler(Duration limit) {
        this.limit = limit.toNanos();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        beginTurn(context);
        checkAfter(context, limit);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            receiving = true;
            answered = false;
            unanswered++;
        }
        if (message instanceof LastHttpContent) {
            receiving = false;
            // A reply that does not depend on the body may precede the end of the body.
            clientsTurn = answered;
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        boolean last = message instanceof LastHttpContent && !isInformational(message);
        if (last) {
            answered = true;
            unanswered--;
            beginTurn(context);
            if (refused) {
                promise.addListener(ChannelFutureListener.CLOSE);
            }
        }
        context.write(message, promise);
        if (last) {
            readOn(context);
        }
    }

    private static boolean isInformational(Object message) {
        return message instanceof HttpResponse reply && reply.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    }

    @Override
    public void read(ChannelHandlerContext context) {
        paused = unanswered >= PIPELINED || !context.channel().isWritable();
        if (!paused) {
            context.read();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        readOn(context);
        context.fireChannelWritabilityChanged();
    }

    private void readOn(ChannelHandlerContext context) {
        if (paused) {
            read(context);
        }
    }

    private void beginTurn(ChannelHandlerContext context) {
        clientsTurn = true;
        turnStarted = now(context);
    }

    private static long now(ChannelHandlerContext context) {
        return context.executor().ticker().nanoTime();
    }

    private void checkAfter(ChannelHandlerContext context, long nanos) {
        context.executor().schedule(() -> check(context), nanos, TimeUnit.NANOSECONDS);
    }

    private void check(ChannelHandlerContext context) {
        long left = clientsTurn ? limit - (now(context) - turnStarted) : limit;
        if (context.isRemoved()) {
            return;
        }
        if (left > 0) {
            checkAfter(context, left);
        } else if (receiving && !refused) {
            // The reader of the body replies, and has the same time to do so.
            refused = true;
            beginTurn(context);
            checkAfter(context, limit);
            context.fireExceptionCaught(ReadTimeoutException.INSTANCE);
        } else {
            context.close();
        }
    }
}

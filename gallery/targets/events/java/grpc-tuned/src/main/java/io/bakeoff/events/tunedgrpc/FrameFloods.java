package io.bakeoff.events.tunedgrpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection on which too many frames arrive between two that carry something: empty DATA frames that do not end
 * their stream, and SETTINGS. Closes one whose client resets many more calls than it ends.
 *
 * <p>grpc-java keeps each of the first until the message is complete, without charging flow control, answers each of the
 * second, and begins each call before it reads the reset. The first handler of a connection; with TLS it moves behind the
 * decryption.
 */
final class FrameFloods extends ChannelInboundHandlerAdapter {
    /** Most of them between two frames that carry something. */
    static final int LIMIT = 100;

    /** Most calls that are reset beyond those that are ended. */
    static final int RESETS_LIMIT = 200;

    /** Keeps a client from coming back at once. */
    static final int PAUSE_SECONDS = 1;

    private static final int PREFACE_BYTES = 24;
    private static final int HEADER_BYTES = 9;
    private static final int TYPE_AT = 3;
    private static final int FLAGS_AT = 4;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_STREAM = 1;
    private static final int ACK = 1;

    /** Bytes before the next frame. */
    private int skipped = PREFACE_BYTES;

    /** Bytes of the header of a frame that have arrived. */
    private int headerBytes;

    private int length;
    private int type;
    private int flags;
    private int emptyFrames;
    private int resets;
    private boolean started;
    private boolean flooded;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!started) {
            started = true;
            ChannelHandlerContext decryption = context.pipeline().context(SslHandler.class);
            if (decryption != null) {
                context.pipeline()
                        .addAfter(decryption.name(), null, new FrameFloods())
                        .remove(this);
                // Decrypted bytes must not skip the new handler.
                context.fireChannelRead(message);
                return;
            }
        }
        if (flooded) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof ByteBuf bytes && isFlood(bytes)) {
            bytes.release();
            flooded = true;
            context.channel().config().setAutoRead(false);
            context.executor().schedule(() -> context.close(), PAUSE_SECONDS, TimeUnit.SECONDS);
        } else {
            context.fireChannelRead(message);
        }
    }

    private boolean isFlood(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        while (at < end) {
            int here = Math.min(skipped, end - at);
            skipped -= here;
            at += here;
            while (at < end && skipped == 0) {
                header(bytes.getUnsignedByte(at));
                at++;
            }
            if (emptyFrames > LIMIT || resets > RESETS_LIMIT) {
                return true;
            }
        }
        return false;
    }

    private void header(int octet) {
        if (headerBytes < TYPE_AT) {
            length = length << 8 | octet;
        } else if (headerBytes == TYPE_AT) {
            type = octet;
        } else if (headerBytes == FLAGS_AT) {
            flags = octet;
        }
        headerBytes++;
        if (headerBytes == HEADER_BYTES) {
            count();
            skipped = length;
            headerBytes = 0;
            length = 0;
        }
    }

    private void count() {
        boolean ofCall = type == DATA || type == HEADERS;
        boolean ends = ofCall && (flags & END_STREAM) != 0;
        if (ends) {
            resets = Math.max(0, resets - 1);
        } else if (type == RST_STREAM) {
            resets++;
        }
        if (ends || type == HEADERS || type == DATA && length > 0) {
            emptyFrames = 0;
        } else if (type == DATA || type == SETTINGS && (flags & ACK) == 0) {
            emptyFrames++;
        }
    }
}

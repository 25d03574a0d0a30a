package io.bakeoff.events.process;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/** How much is read of one connection before it is the turn of the next one. */
public final class Reads {
    private static final int LEAST_BYTES = 64;
    private static final int FIRST_BYTES = 2_048;
    private static final int MOST_BYTES = 16 << 10;

    private Reads() {}

    /**
     * One buffer, of at most 16 KiB, instead of up to 16 of 64 KiB: a megabyte of small frames from one client would keep
     * the others of its event loop waiting. A connection that has more to read has its next turn after theirs.
     */
    public static RecvByteBufAllocator oneBufferEachTurn() {
        return new AdaptiveRecvByteBufAllocator(LEAST_BYTES, FIRST_BYTES, MOST_BYTES).maxMessagesPerRead(1);
    }
}

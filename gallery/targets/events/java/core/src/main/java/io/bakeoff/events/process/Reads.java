package io.bakeoff.events.process;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/** How much is read of one connection before it is the turn of the next one. */
public final class Reads {
    private Reads() {}

    /**
     * One buffer, of at most 64 KiB, instead of Netty's 16: a megabyte of small frames from one client would keep the
     * others of its event loop waiting. A connection that has more to read has its next turn after theirs.
     */
    public static RecvByteBufAllocator oneBufferEachTurn() {
        return new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1);
    }
}

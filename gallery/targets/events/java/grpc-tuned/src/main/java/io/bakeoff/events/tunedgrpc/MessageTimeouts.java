package io.bakeoff.events.tunedgrpc;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Ends calls whose client takes too long to send a message. One instance for each event loop, used on its thread only.
 *
 * <p>All calls have the same timeout, so the oldest expires first and one timer serves all: a timer for each call would
 * cost more than the call.
 */
final class MessageTimeouts {
    private final EventExecutor loop;
    private final long limit;
    /** When each call started to wait, oldest first. */
    private final Map<IncomingCall, Long> waiting = new LinkedHashMap<>();

    private boolean watching;

    MessageTimeouts(EventExecutor loop, Duration limit) {
        this.loop = loop;
        this.limit = limit.toNanos();
    }

    /** The client has started to send. */
    void expect(IncomingCall call) {
        waiting.put(call, now());
        if (!watching) {
            watchFor(limit);
        }
    }

    /** The message has arrived, or the client has disconnected. */
    void forget(IncomingCall call) {
        waiting.remove(call);
    }

    private void watchFor(long nanos) {
        watching = true;
        loop.schedule(this::endOverdue, nanos, TimeUnit.NANOSECONDS);
    }

    private void endOverdue() {
        watching = false;
        while (!waiting.isEmpty() && !watching) {
            Map.Entry<IncomingCall, Long> longest = first();
            long left = limit - (now() - longest.getValue());
            if (left > 0) {
                watchFor(left);
            } else {
                waiting.remove(longest.getKey());
                longest.getKey().expire();
            }
        }
    }

    private Map.Entry<IncomingCall, Long> first() {
        Iterator<Map.Entry<IncomingCall, Long>> calls = waiting.entrySet().iterator();
        return calls.next();
    }

    private long now() {
        return loop.ticker().nanoTime();
    }
}

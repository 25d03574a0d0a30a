package io.bakeoff.events.grpc;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Ends calls whose client takes too long to send a message: those of one event loop, whose thread alone comes here.
 *
 * <p>All may take equally long, so the one that has waited longest ends first, and one timer serves all: a timer for
 * each call would cost more than what it watches.
 */
final class SlowClients {
    /** How long a message may take. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    private final EventExecutor loop;
    private final long limit;
    /** When each call began to wait, the one that has waited longest first. */
    private final Map<IncomingCall, Long> waiting = new LinkedHashMap<>();

    private boolean watching;

    SlowClients(EventExecutor loop, Duration limit) {
        this.loop = loop;
        this.limit = limit.toNanos();
    }

    /** The client has begun. */
    void expect(IncomingCall call) {
        waiting.put(call, now());
        if (!watching) {
            watchFor(limit);
        }
    }

    /** The client has sent what was waited for, or has gone. */
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

package io.bakeoff.events.grpc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.context.event.EventListener;
import org.springframework.grpc.server.lifecycle.GrpcServerShutdownEvent;
import org.springframework.stereotype.Component;

/** Calls that last as long as their client likes, which a process that stops must end by itself. */
@Component
class OpenStreams {
    // Both under this object's lock.
    private final Set<Runnable> stops = new HashSet<>();
    private boolean stopping;

    /** Remembers how to stop a call; one that comes too late is stopped at once. */
    void add(Runnable stop) {
        synchronized (this) {
            if (!stopping) {
                stops.add(stop);
                return;
            }
        }
        stop.run();
    }

    /** The call has ended. */
    synchronized void remove(Runnable stop) {
        stops.remove(stop);
    }

    /** The server is about to stop. */
    @EventListener(GrpcServerShutdownEvent.class)
    public void stopAll() {
        List<Runnable> open;
        synchronized (this) {
            stopping = true;
            open = new ArrayList<>(stops);
        }
        open.forEach(Runnable::run);
    }
}

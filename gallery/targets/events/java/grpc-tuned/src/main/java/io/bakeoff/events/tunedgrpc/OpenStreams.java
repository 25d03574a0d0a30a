package io.bakeoff.events.tunedgrpc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.context.event.EventListener;
import org.springframework.grpc.server.lifecycle.GrpcServerShutdownEvent;
import org.springframework.stereotype.Component;

/** Long-lived calls, which must be ended when the process stops. */
@Component
class OpenStreams {
    // Both are guarded by this object's lock.
    private final Set<Runnable> stops = new HashSet<>();
    private boolean stopping;

    /** Registers how to stop a call; a call that starts during shutdown is stopped immediately. */
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

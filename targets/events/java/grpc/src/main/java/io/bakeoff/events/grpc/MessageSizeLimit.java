package io.bakeoff.events.grpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import io.grpc.Context;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;

/**
 * Ends a call whose message grows above the limit of its method, while it arrives.
 *
 * <p>grpc-java knows one limit for a whole server, and refuses with a message of its own. So that limit is off, and a
 * tracer counts the bytes of each message as they come. It runs on the thread of the connection, on which calls are
 * served, too; the interceptor tells it which call is its own.
 */
final class MessageSizeLimit extends ServerStreamTracer.Factory implements ServerInterceptor {
    /** How far a message may grow while the replies before it are sent. */
    private static final int PATIENCE_BYTES = 4 << 20;

    private static final Context.Key<Tracer> TRACER = Context.key("message-size");

    /** Ends a call for a message that is too large. */
    interface Refusal {
        /** Called when the limit is passed, and again, if the call has not ended, when patience is. */
        void refuse(Status status, boolean atOnce);
    }

    /** Lets the call that is being started end in its own way. */
    static void refuseBy(Refusal refusal) {
        TRACER.get().refusal = refusal;
    }

    /** Ends the call that is being started, whatever may still come of it. */
    static <Q> ServerCall.Listener<Q> end(ServerCall<Q, ?> call, Status status) {
        refuseBy((alreadyEnded, atOnce) -> {});
        call.close(status, new Metadata());
        return new ServerCall.Listener<>() {};
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        boolean bulk =
                method.equals(EventServiceGrpc.getProcessEventBatchMethod().getFullMethodName());
        return new Tracer(bulk ? Limits.BULK_BYTES : Limits.EVENT_BYTES);
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Gate<Q> gate = new Gate<>();
        refuseBy((status, atOnce) -> {
            if (!atOnce) {
                gate.closed = true;
                call.close(status, new Metadata());
            }
        });
        gate.listener = next.startCall(call, headers);
        return gate;
    }

    /** Lets nothing through to a handler any more once the call has been refused. */
    private static final class Gate<Q> extends ForwardingServerCallListener<Q> {
        private ServerCall.Listener<Q> listener;
        private boolean closed;

        @Override
        protected ServerCall.Listener<Q> delegate() {
            return listener;
        }

        @Override
        public void onMessage(Q message) {
            if (!closed) {
                super.onMessage(message);
            }
        }

        @Override
        public void onHalfClose() {
            if (!closed) {
                super.onHalfClose();
            }
        }
    }

    private static final class Tracer extends ServerStreamTracer {
        private final int limit;
        private Refusal refusal;
        private long bytes;

        Tracer(int limit) {
            this.limit = limit;
        }

        @Override
        public Context filterContext(Context context) {
            return context.withValue(TRACER, this);
        }

        @Override
        public void inboundMessage(int number) {
            bytes = 0;
        }

        @Override
        public void inboundWireSize(long more) {
            long before = bytes;
            bytes += more;
            refuseBeyond(limit, before, false);
            refuseBeyond(limit + PATIENCE_BYTES, before, true);
        }

        private void refuseBeyond(int bound, long before, boolean atOnce) {
            if (before <= bound && bytes > bound) {
                refusal.refuse(Statuses.of(Problem.bodyTooLarge(limit)), atOnce);
            }
        }
    }
}

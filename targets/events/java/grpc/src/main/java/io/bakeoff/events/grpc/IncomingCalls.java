package io.bakeoff.events.grpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Limits;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import java.time.Duration;

/**
 * Ends a call whose message grows above the limit of its method, or comes too slowly, while it arrives.
 *
 * <p>grpc-java knows one limit of size for a whole server, refuses with a message of its own, and knows no limit of
 * time. So its limit is off, and a tracer looks at each message as it comes; the interceptor tells it how to end.
 */
final class IncomingCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
    private final FastThreadLocal<SlowClients> slowClients;

    /** Calls that are served by these event loops, of which a message may take so long. */
    IncomingCalls(EventLoopGroup loops, Duration patience) {
        slowClients = new FastThreadLocal<>() {
            @Override
            protected SlowClients initialValue() {
                return new SlowClients(currentOf(loops), patience);
            }
        };
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        boolean bulk =
                method.equals(EventServiceGrpc.getProcessEventBatchMethod().getFullMethodName());
        int limit = bulk ? Limits.BULK_BYTES : Limits.EVENT_BYTES;
        return new IncomingCall(limit, slowClients.get(), Compression.takeEncoding(headers));
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        IncomingCall incoming = IncomingCall.current();
        Gate<Q> gate = new Gate<>(incoming);
        incoming.refuseBy((status, atOnce) -> {
            if (!gate.closed) {
                gate.closed = true;
                call.close(status, new Metadata());
            }
        });
        if (call.getMethodDescriptor().getType().clientSendsOneMessage()) {
            incoming.sendsOneMessage();
        }
        gate.listener = next.startCall(call, headers);
        return gate;
    }

    private static EventExecutor currentOf(EventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            if (loop.inEventLoop()) {
                return loop;
            }
        }
        throw new IllegalStateException("not on the thread of a connection");
    }

    /** Lets nothing through to a handler any more once the call has been refused. */
    private static final class Gate<Q> extends ForwardingServerCallListener<Q> {
        private final IncomingCall incoming;
        private ServerCall.Listener<Q> listener;
        private boolean closed;

        Gate(IncomingCall incoming) {
            this.incoming = incoming;
        }

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
            incoming.received();
            if (!closed) {
                super.onHalfClose();
            }
        }
    }
}

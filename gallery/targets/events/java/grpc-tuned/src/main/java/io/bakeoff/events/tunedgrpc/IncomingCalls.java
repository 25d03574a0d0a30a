package io.bakeoff.events.tunedgrpc;

import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.writing.Intake;
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
 * Ends a call while its message arrives, when it exceeds the size limit of the method or the timeout.
 *
 * <p>grpc-java has one size limit for a whole server, with its own message, and no time limit. So its limit is disabled
 * and a tracer observes each message; the interceptor sets how to end the call.
 */
final class IncomingCalls extends ServerStreamTracer.Factory implements ServerInterceptor {
    private final FastThreadLocal<MessageTimeouts> messageTimeouts;

    private final Intake intake;

    /** For calls on these event loops, with a budget for all messages and a timeout for each. */
    IncomingCalls(EventLoopGroup loops, Intake intake, Duration timeout) {
        this.intake = intake;
        messageTimeouts = new FastThreadLocal<>() {
            @Override
            protected MessageTimeouts initialValue() {
                return new MessageTimeouts(currentOf(loops), timeout);
            }
        };
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        boolean bulk =
                method.equals(EventServiceGrpc.getProcessEventBatchMethod().getFullMethodName());
        int limit = bulk ? Limits.BULK_BYTES : Limits.EVENT_BYTES;
        return new IncomingCall(limit, intake.charge(), messageTimeouts.get(), Compression.takeEncoding(headers));
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        IncomingCall incoming = IncomingCall.current();
        ClosableListener<Q> listener = new ClosableListener<>(incoming);
        incoming.refuseBy((status, atOnce) -> {
            if (!listener.closed) {
                listener.closed = true;
                call.close(status, new Metadata());
            }
        });
        if (call.getMethodDescriptor().getType().clientSendsOneMessage()) {
            incoming.sendsOneMessage();
        }
        listener.listener = next.startCall(call, headers);
        return listener;
    }

    private static EventExecutor currentOf(EventLoopGroup loops) {
        for (EventExecutor loop : loops) {
            if (loop.inEventLoop()) {
                return loop;
            }
        }
        throw new IllegalStateException("not on the thread of a connection");
    }

    /** Drops messages for the handler once the call has been ended. */
    private static final class ClosableListener<Q> extends ForwardingServerCallListener<Q> {
        private final IncomingCall incoming;
        private ServerCall.Listener<Q> listener;
        private boolean closed;

        ClosableListener(IncomingCall incoming) {
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

package io.bakeoff.events.grpc;

import io.bakeoff.events.model.Problem;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * What one call receives, looked at while it arrives: how large a message grows, how long its client takes, and whether
 * it is compressed. All on the thread of the connection, on which calls are served, too.
 */
final class IncomingCall extends ServerStreamTracer {
    /** How far a message may grow while the replies before it are sent. */
    private static final int PATIENCE_BYTES = 4 << 20;

    private static final int UNKNOWN_SIZE = -1;

    private static final Status COMPRESSED =
            Status.INTERNAL.withDescription("message: compressed, in a call that names no grpc-encoding");
    private static final Status INCOMPLETE =
            Status.DEADLINE_EXCEEDED.withDescription(Problem.INCOMPLETE_BODY.message());

    private static final Context.Key<IncomingCall> CURRENT = Context.key("incoming-call");

    private final int limit;
    private final SlowClients slowClients;
    private final @Nullable String encoding;
    private Refusal refusal = (status, atOnce) -> {};
    private boolean sendsOneMessage;
    private long bytes;

    /** Ends a call for what it receives. */
    interface Refusal {
        /** Called when a call must end, and, if it has not ended, again when it must end without any delay. */
        void refuse(Status status, boolean atOnce);
    }

    /**
     * A call that has just begun.
     *
     * @param limit most bytes of a message
     * @param encoding how its messages are compressed; null when they are not
     */
    IncomingCall(int limit, SlowClients slowClients, @Nullable String encoding) {
        this.limit = limit;
        this.slowClients = slowClients;
        this.encoding = encoding;
    }

    /** The call that is being started. */
    static IncomingCall current() {
        return CURRENT.get();
    }

    /** Ends the call that is being started, whatever may still come of it. */
    static <Q> ServerCall.Listener<Q> end(ServerCall<Q, ?> call, Status status, Metadata trailers) {
        current().refuseBy((alreadyEnded, atOnce) -> {});
        current().received();
        call.close(status, trailers);
        return new ServerCall.Listener<>() {};
    }

    @Nullable
    String encoding() {
        return encoding;
    }

    /** Lets the call end in its own way. */
    void refuseBy(Refusal how) {
        refusal = how;
    }

    /** The call is one message and its end, which must not take too long together. */
    void sendsOneMessage() {
        sendsOneMessage = true;
        slowClients.expect(this);
    }

    /** All that the call sends has come. */
    void received() {
        slowClients.forget(this);
    }

    /** The client has taken too long. */
    void expire() {
        refusal.refuse(INCOMPLETE, false);
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(CURRENT, this);
    }

    @Override
    public void inboundMessage(int number) {
        bytes = 0;
        if (!sendsOneMessage) {
            slowClients.expect(this);
        }
    }

    @Override
    public void inboundWireSize(long more) {
        long before = bytes;
        bytes += more;
        refuseBeyond(limit, before, false);
        refuseBeyond(limit + PATIENCE_BYTES, before, true);
    }

    @Override
    public void inboundMessageRead(int number, long wireSize, long size) {
        if (!sendsOneMessage) {
            slowClients.forget(this);
        }
        if (size == UNKNOWN_SIZE) {
            // grpc-java is about to give the call up, and would reset a stream that has had a reply.
            refusal.refuse(COMPRESSED, false);
            refusal.refuse(COMPRESSED, true);
        }
    }

    @Override
    public void streamClosed(Status status) {
        slowClients.forget(this);
    }

    private void refuseBeyond(int bound, long before, boolean atOnce) {
        if (before <= bound && bytes > bound) {
            refusal.refuse(Statuses.of(Problem.bodyTooLarge(limit)), atOnce);
        }
    }
}

package io.bakeoff.events.tunedgrpc;

import io.bakeoff.events.model.Problem;
import io.bakeoff.events.writing.Intake;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Observes the messages of one call while they arrive: their size, the memory and the time they take, and whether they
 * are compressed.
 * Runs on the event loop of the connection, which also serves the call.
 */
final class IncomingCall extends ServerStreamTracer {
    /** How far a message may exceed the limit while earlier replies are sent. */
    private static final int GRACE_BYTES = 4 << 20;

    private static final int UNKNOWN_SIZE = -1;

    private static final Status COMPRESSED =
            Status.INTERNAL.withDescription("message: compressed, in a call that names no grpc-encoding");
    private static final Status EXHAUSTED = Statuses.of(Problem.TOO_MANY_BYTES);
    private static final Status TOO_SLOW = Statuses.of(Problem.SLOW_BODY);

    private static final Context.Key<IncomingCall> CURRENT = Context.key("incoming-call");

    private final int limit;
    private final Intake.Charge charge;
    private final MessageTimeouts messageTimeouts;
    private final @Nullable String encoding;
    private Refusal refusal = (status, atOnce) -> {};
    private boolean sendsOneMessage;
    private long bytes;

    /** Ends a call because of its messages. */
    interface Refusal {
        /** Called when a call must end, and again, if it has not ended, when it must end immediately. */
        void refuse(Status status, boolean atOnce);
    }

    /**
     * A call that has just started.
     *
     * @param limit maximum message size in bytes
     * @param charge for the bytes of its messages
     * @param encoding the compression of its messages; null for none
     */
    IncomingCall(int limit, Intake.Charge charge, MessageTimeouts messageTimeouts, @Nullable String encoding) {
        this.limit = limit;
        this.charge = charge;
        this.messageTimeouts = messageTimeouts;
        this.encoding = encoding;
    }

    /** The call that is being started. */
    static IncomingCall current() {
        return CURRENT.get();
    }

    /** Ends the call that is being started and ignores what follows. */
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

    /** Sets how the call is ended. */
    void refuseBy(Refusal how) {
        refusal = how;
    }

    /** The call consists of one message, which must arrive with its end before the timeout. */
    void sendsOneMessage() {
        sendsOneMessage = true;
        messageTimeouts.expect(this);
    }

    /** The client has sent everything. */
    void received() {
        messageTimeouts.forget(this);
    }

    /** The client has exceeded the timeout. */
    void expire() {
        refusal.refuse(TOO_SLOW, false);
    }

    @Override
    public Context filterContext(Context context) {
        return context.withValue(CURRENT, this);
    }

    @Override
    public void inboundMessage(int number) {
        bytes = 0;
        if (!sendsOneMessage) {
            messageTimeouts.expect(this);
        }
    }

    @Override
    public void inboundWireSize(long more) {
        long before = bytes;
        bytes += more;
        refuseBeyond(limit, before, false);
        refuseBeyond(limit + GRACE_BYTES, before, true);
        if (!charge.add(more)) {
            refusal.refuse(EXHAUSTED, false);
            refusal.refuse(EXHAUSTED, true);
        }
    }

    @Override
    public void inboundMessageRead(int number, long wireSize, long size) {
        charge.release();
        if (!sendsOneMessage) {
            messageTimeouts.forget(this);
        }
        if (size == UNKNOWN_SIZE) {
            // grpc-java is about to fail the call, and would reset a stream that has already sent a reply.
            refusal.refuse(COMPRESSED, false);
            refusal.refuse(COMPRESSED, true);
        }
    }

    @Override
    public void streamClosed(Status status) {
        charge.release();
        messageTimeouts.forget(this);
    }

    private void refuseBeyond(int bound, long before, boolean atOnce) {
        if (before <= bound && bytes > bound) {
            refusal.refuse(Statuses.of(Problem.bodyTooLarge(limit)), atOnce);
        }
    }
}

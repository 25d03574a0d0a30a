package io.bakeoff.events.tunedgrpc;

import com.example.grpc.EventResponse;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import io.bakeoff.events.protobuf.ProtobufEvents;
import io.bakeoff.events.writing.EventWriter;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * {@code StreamEvents}: events as they arrive, answered in order.
 *
 * <p>Messages are requested one by one, and only while the previous event was queued, the window of unanswered events is
 * not full, and the client reads its replies: otherwise HTTP/2 flow control slows the client down. Events arrive on the
 * call's thread, outcomes on any thread: all state is guarded by this object's lock.
 */
final class EventStream implements StreamObserver<Decoded> {
    private final EventWriter writer;
    private final OpenStreams streams;
    private final ServerCallStreamObserver<EventResponse> replies;
    private final Runnable stop = this::stop;
    private final int window;

    private final ArrayDeque<PendingReply> pendingReplies = new ArrayDeque<>();
    /** An event that does not fit into the queue yet. */
    private @Nullable Event stalled;
    /** No message has been requested. */
    private boolean paused;
    /** Nothing more is read. */
    private boolean ending;
    /** Nothing more is sent. */
    private boolean ended;

    private EventStream(EventWriter writer, OpenStreams streams, ServerCallStreamObserver<EventResponse> replies) {
        this.writer = writer;
        this.streams = streams;
        this.replies = replies;
        this.window = writer.streamWindow();
    }

    /** Serves a stream that has just been opened. */
    static EventStream open(EventWriter writer, OpenStreams streams, StreamObserver<EventResponse> replies) {
        EventStream stream = new EventStream(writer, streams, (ServerCallStreamObserver<EventResponse>) replies);
        stream.replies.disableAutoRequest();
        stream.replies.setOnCancelHandler(stream::cancelled);
        stream.replies.setOnReadyHandler(stream::readOn);
        streams.add(stream.stop);
        IncomingCall.current().refuseBy(stream::refuse);
        stream.replies.request(1);
        return stream;
    }

    @Override
    public synchronized void onNext(Decoded decoded) {
        if (ending) {
            return;
        }
        if (decoded instanceof Event event) {
            PendingReply pending = new PendingReply();
            pendingReplies.add(pending);
            offer(event, pending);
        } else {
            invalid((Problem) decoded);
            askForMore(window);
        }
    }

    @Override
    public synchronized void onCompleted() {
        end(null);
    }

    @Override
    public void onError(Throwable error) {
        cancelled();
    }

    private void invalid(Problem problem) {
        if (problem.kind() == Problem.Kind.TOO_LARGE || ProtobufEvents.isMalformed(problem)) {
            end(Statuses.of(problem));
            return;
        }
        PendingReply pending = new PendingReply();
        pendingReplies.add(pending);
        pending.reply = EventResponse.newBuilder().setMessage(problem.message()).build();
        sendAnswered();
    }

    /**
     * Asks for one more message once the event is queued, and only then: with two requested, the second could stall while
     * the first does, and one of them would be forgotten.
     */
    private void offer(Event event, PendingReply pending) {
        if (writer.offer(event, outcome -> answered(pending, outcome))) {
            askForMore(window);
        } else {
            stalled = event;
            // May offer again at once.
            writer.whenCapacity(event, () -> offerAgain(event, pending));
        }
    }

    private synchronized void offerAgain(Event event, PendingReply pending) {
        if (stalled == event && !ended) {
            stalled = null;
            offer(event, pending);
        }
    }

    private synchronized void answered(PendingReply pending, Outcome outcome) {
        if (outcome == Stored.STORED) {
            pending.reply = EventService.STORED;
        } else {
            pending.end = Statuses.of((Problem) outcome);
        }
        if (pending == pendingReplies.peek()) {
            sendAnswered();
            // Half a window at a time, not for every reply.
            if (paused) {
                askForMore(window / 2);
            }
        }
    }

    private void sendAnswered() {
        for (PendingReply pending = pendingReplies.peek(); pending != null && !ended; pending = pendingReplies.peek()) {
            if (pending.end != null) {
                fail(pending.end);
            } else if (pending.reply != null) {
                replies.onNext(pending.reply);
                pendingReplies.remove();
            } else if (pending.last) {
                ended = true;
                streams.remove(stop);
                replies.onCompleted();
            } else {
                return;
            }
        }
    }

    private synchronized void readOn() {
        if (paused) {
            askForMore(window / 2);
        }
    }

    private void askForMore(int most) {
        if (ending) {
            return;
        }
        boolean mayRead = stalled == null && pendingReplies.size() <= most && pendingReplies.size() < window;
        paused = !mayRead || !replies.isReady();
        if (!paused) {
            replies.request(1);
        }
    }

    /** Stops reading; ends the call, with a status or normally, when all earlier events have been answered. */
    private void end(@Nullable Status status) {
        if (!ending) {
            ending = true;
            PendingReply pending = new PendingReply();
            pending.end = status;
            pending.last = true;
            pendingReplies.add(pending);
            sendAnswered();
        }
    }

    private void fail(Status status) {
        ended = true;
        ending = true;
        streams.remove(stop);
        pendingReplies.clear();
        replies.onError(status.asException());
    }

    private synchronized void refuse(Status status, boolean atOnce) {
        if (!atOnce) {
            end(status);
        } else if (!ended) {
            fail(status);
        }
    }

    private synchronized void stop() {
        end(Statuses.of(Problem.STOPPING));
    }

    private synchronized void cancelled() {
        ended = true;
        ending = true;
        streams.remove(stop);
        pendingReplies.clear();
    }

    /** The reply to an event, in the order of arrival. */
    private static final class PendingReply {
        private @Nullable EventResponse reply;
        private @Nullable Status end;
        private boolean last;
    }
}

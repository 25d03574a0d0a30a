package io.bakeoff.events.grpc;

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
 * <p>Messages are asked for one by one. The next is asked for only while the event before it has found room in the
 * queue, few enough events wait for their replies, and the client takes them: otherwise HTTP/2 flow control holds the
 * client back. Events come on the call's thread, outcomes on any other: all state is under this object's lock.
 */
final class EventStream implements StreamObserver<Decoded> {
    private final EventWriter writer;
    private final OpenStreams streams;
    private final ServerCallStreamObserver<EventResponse> replies;
    private final Runnable stop = this::stop;
    private final int window;

    private final ArrayDeque<Turn> turns = new ArrayDeque<>();
    /** An event that has found no room yet. */
    private @Nullable Event stalled;
    /** No message has been asked for. */
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
            Turn turn = new Turn();
            turns.add(turn);
            offer(event, turn);
        } else {
            invalid((Problem) decoded);
        }
        if (stalled == null && !ending) {
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
        Turn turn = new Turn();
        turns.add(turn);
        turn.reply = EventResponse.newBuilder().setMessage(problem.message()).build();
        sendAnswered();
    }

    private void offer(Event event, Turn turn) {
        if (!writer.offer(event, outcome -> answered(turn, outcome))) {
            stalled = event;
            writer.whenRoom(event, () -> offerAgain(event, turn));
        }
    }

    private synchronized void offerAgain(Event event, Turn turn) {
        if (stalled == event && !ended) {
            stalled = null;
            offer(event, turn);
            if (stalled == null && !ending) {
                askForMore(window);
            }
        }
    }

    private synchronized void answered(Turn turn, Outcome outcome) {
        if (outcome == Stored.STORED) {
            turn.reply = EventService.STORED;
        } else {
            turn.end = Statuses.of((Problem) outcome);
        }
        if (turn == turns.peek()) {
            sendAnswered();
            // Not for every single reply: half a window at a time.
            if (paused) {
                askForMore(window / 2);
            }
        }
    }

    private void sendAnswered() {
        for (Turn turn = turns.peek(); turn != null && !ended; turn = turns.peek()) {
            if (turn.end != null) {
                fail(turn.end);
            } else if (turn.reply != null) {
                replies.onNext(turn.reply);
                turns.remove();
            } else if (turn.last) {
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
        boolean mayRead = !ending && stalled == null && turns.size() <= most && turns.size() < window;
        paused = !mayRead || !replies.isReady();
        if (!paused) {
            replies.request(1);
        }
    }

    /** Reads no more; ends when all before has been answered, with a status or as it should. */
    private void end(@Nullable Status status) {
        if (!ending) {
            ending = true;
            Turn turn = new Turn();
            turn.end = status;
            turn.last = true;
            turns.add(turn);
            sendAnswered();
        }
    }

    private void fail(Status status) {
        ended = true;
        ending = true;
        streams.remove(stop);
        turns.clear();
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
        turns.clear();
    }

    /** The place of an event in the order of replies. */
    private static final class Turn {
        private @Nullable EventResponse reply;
        private @Nullable Status end;
        private boolean last;
    }
}

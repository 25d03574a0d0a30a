package io.bakeoff.events.grpc;

import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.writing.EventWriter;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * One call of {@code StreamEvents}: events are accepted one after another and answered in order.
 *
 * <p>Messages are requested only while the queue accepts events, fewer than a window of them wait for their replies,
 * and the client reads its replies: otherwise HTTP/2 flow control slows the client down.
 */
final class EventStream implements StreamObserver<EventRequest> {
    private final Messages messages;
    private final EventWriter writer;
    private final ServerCallStreamObserver<EventResponse> replies;
    private final AtomicLong demand = new AtomicLong();
    private FluxSink<EventRequest> requests;
    private Disposable subscription;

    private EventStream(Messages messages, EventWriter writer, ServerCallStreamObserver<EventResponse> replies) {
        this.messages = messages;
        this.writer = writer;
        this.replies = replies;
    }

    static EventStream open(
            Messages messages, EventWriter writer, Shutdown shutdown, ServerCallStreamObserver<EventResponse> replies) {
        EventStream stream = new EventStream(messages, writer, replies);
        replies.disableAutoRequest();
        replies.setOnReadyHandler(stream::requestMessages);
        replies.setOnCancelHandler(stream::cancel);
        stream.subscription = Flux.create(stream::start)
                .takeUntilOther(shutdown.started())
                .concatMap(stream::accept, 1)
                .concatWith(shutdown.rejection())
                // An error must not overtake the replies before it, so that it is a signal like them.
                .flatMapSequential(Mono::materialize, writer.streamWindow(), 1)
                .<EventResponse>dematerialize()
                .subscribe(replies::onNext, replies::onError, replies::onCompleted);
        return stream;
    }

    @Override
    public void onNext(EventRequest request) {
        requests.next(request);
    }

    @Override
    public void onCompleted() {
        requests.complete();
    }

    @Override
    public void onError(Throwable error) {
        cancel();
    }

    private void start(FluxSink<EventRequest> sink) {
        requests = sink.onRequest(more -> {
            demand.addAndGet(more);
            requestMessages();
        });
    }

    private void requestMessages() {
        while (replies.isReady() && demand.getAndUpdate(open -> Math.max(open - 1, 0)) > 0) {
            replies.request(1);
        }
    }

    private void cancel() {
        subscription.dispose();
    }

    /** Completes with the pending reply as soon as the queue has accepted the event. */
    private Mono<Mono<EventResponse>> accept(EventRequest request) {
        Decoded decoded = messages.event(request);
        if (decoded instanceof Event event) {
            return Mono.create(accepted -> offer(event, accepted));
        }
        Problem problem = (Problem) decoded;
        return Mono.just(
                problem.kind() == Problem.Kind.TOO_LARGE
                        ? Mono.error(Statuses.exception(problem))
                        : Mono.just(EventResponse.newBuilder()
                                .setMessage(problem.message())
                                .build()));
    }

    private void offer(Event event, MonoSink<Mono<EventResponse>> accepted) {
        Sinks.One<Outcome> outcome = Sinks.one();
        if (writer.offer(event, outcome::tryEmitValue)) {
            accepted.success(outcome.asMono().flatMap(EventStream::reply));
        } else {
            writer.whenCapacity(event, () -> offer(event, accepted));
        }
    }

    private static Mono<EventResponse> reply(Outcome outcome) {
        return outcome instanceof Problem problem
                ? Mono.error(Statuses.exception(problem))
                : Mono.just(Messages.STORED);
    }
}

package io.bakeoff.events.tunedgrpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.spy;

import com.example.grpc.EventBatchRequest;
import com.example.grpc.EventBatchResponse;
import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import com.example.grpc.EventServiceGrpc;
import com.example.grpc.HealthRequest;
import com.google.protobuf.ByteString;
import io.bakeoff.events.settings.Authorization;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Events;
import io.bakeoff.events.writing.FakeStorage;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.scheduler.VirtualTimeScheduler;

/** The services over a real connection with an in-memory database. */
class EventServiceTest {
    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final FakeStorage storage = new FakeStorage();
    private final Settings settings = Settings.read(Map.of("QUEUE_EVENTS", "2", "FLUSHERS", "1")::get);
    private final EventWriter writer = new EventWriter(storage, settings, clock);
    private final OpenStreams streams = new OpenStreams();
    private TestServer server;
    private ManagedChannel channel;
    private EventServiceGrpc.EventServiceBlockingStub client;

    @BeforeEach
    void start() throws Exception {
        serve(settings.authorization());
    }

    private void serve(Authorization authorization) throws IOException {
        server = new TestServer(writer, streams, authorization, Duration.ofSeconds(60));
        channel = server.channel();
        client = EventServiceGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void stop() throws InterruptedException {
        server.close();
    }

    @Test
    void anEventIsStored() {
        EventResponse reply = client.processEvent(Requests.event("1"));
        assertThat(reply.getSuccess()).isTrue();
        assertThat(reply.getMessage()).isEqualTo("Event processed successfully");
        assertThat(storage.stored()).containsExactly(List.of("Car/1={\"n\":0.1}"));
    }

    @Test
    void aBatchReportsEachEvent() {
        EventBatchResponse reply = client.processEventBatch(EventBatchRequest.newBuilder()
                .addEvents(Requests.event("1"))
                .addEvents(EventRequest.getDefaultInstance())
                .build());
        assertThat(reply.getMessage()).isEqualTo("1 of 2 events processed");
        assertThat(reply.getFailures(0).getIndex()).isEqualTo(1);
        assertThat(reply.getFailures(0).getMessage()).isEqualTo("eventHeader: required");
    }

    @Test
    void problemsAreStatuses() {
        assertThat(refusal(EventRequest.getDefaultInstance())).isEqualTo("INVALID_ARGUMENT eventHeader: required");
        storage.refuse("1");
        assertThat(refusal(Requests.event("1"))).isEqualTo("INTERNAL internal error");
        storage.leave();
        writer.store(Events.event("2={}")).subscribe();
        clock.advanceTimeBy(Duration.ofSeconds(5));
        assertThat(refusal(Requests.event("1"))).isEqualTo("UNAVAILABLE database: unavailable, retry later");
    }

    @Test
    void aFullQueueIsResourceExhausted() {
        storage.hold();
        fillQueue();
        assertThat(refusal(Requests.event("1")))
                .isEqualTo("RESOURCE_EXHAUSTED overloaded: the write queue is full, retry later");
    }

    @Test
    void aMessageAboveTheLimitOfItsMethodIsRejectedWithTheContractsMessage() {
        EventRequest large = padded(1_048_576);
        assertThat(refusal(large)).isEqualTo("RESOURCE_EXHAUSTED body: larger than 1048576 bytes");
        StatusRuntimeException bulk = catchThrowableOfType(
                StatusRuntimeException.class,
                () -> client.processEventBatch(EventBatchRequest.newBuilder()
                        .addEvents(padded(16_777_216))
                        .build()));
        assertThat(text(bulk)).isEqualTo("RESOURCE_EXHAUSTED body: larger than 16777216 bytes");
    }

    @Test
    void anUnknownMethodIsUnimplemented() {
        assertThat(callMethod("no.such/Method", 100)).isEqualTo("UNIMPLEMENTED method: not found");
        assertThat(callMethod("no.such/Method", 2_000_000)).isEqualTo("UNIMPLEMENTED method: not found");
    }

    @Test
    void withoutTheTokenOnlyHealthIsAnswered() throws Exception {
        stop();
        serve(Settings.read(Map.of("API_TOKEN", "secret")::get).authorization());
        String unauthorized = "UNAUTHENTICATED authorization: a valid bearer token is required";
        assertThat(refusal(EventRequest.getDefaultInstance())).isEqualTo(unauthorized);
        assertThat(refusal(padded(1_048_576))).isEqualTo(unauthorized);
        assertThat(callMethod("no.such/Method", 100)).isEqualTo(unauthorized);
        assertThat(callMethod("grpc.health.v1.Health/Method", 100)).isEqualTo(unauthorized);
        assertThat(callMethod("grpc.health.v1.Health/List", 0)).isEqualTo("UNIMPLEMENTED method: not found");
        assertThat(client.healthCheck(HealthRequest.getDefaultInstance()).getHealthy())
                .isTrue();
        assertThat(HealthGrpc.newBlockingStub(channel)
                        .check(HealthCheckRequest.getDefaultInstance())
                        .getStatus())
                .isEqualTo(ServingStatus.SERVING);

        Metadata.Key<String> header = Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
        Metadata token = new Metadata();
        token.put(header, "Bearer secret");
        client = client.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token));
        assertThat(client.processEvent(Requests.event("1")).getSuccess()).isTrue();
        token.put(header, "Bearer other");
        assertThat(refusal(Requests.event("1"))).isEqualTo(unauthorized);
    }

    private String callMethod(String name, int bytes) {
        MethodDescriptor<EventRequest, EventResponse> method = EventServiceGrpc.getProcessEventMethod().toBuilder()
                .setFullMethodName(name)
                .build();
        return text(catchThrowableOfType(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, padded(bytes))));
    }

    @Test
    void aStreamRepliesInOrderAndContinuesAfterAnInvalidEvent() throws InterruptedException {
        Replies replies = new Replies();
        storage.hold();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        stream.onNext(Requests.event("1"));
        stream.onNext(EventRequest.getDefaultInstance());
        stream.onNext(Requests.event("2"));
        stream.onCompleted();
        while (storage.held() == 0) {
            Thread.onSpinWait();
        }
        storage.comeBack();
        storage.release();
        assertThat(replies.next()).isEqualTo("true Event processed successfully");
        assertThat(replies.next()).isEqualTo("false eventHeader: required");
        assertThat(replies.next()).isEqualTo("true Event processed successfully");
        assertThat(replies.next()).isEqualTo("OK");
    }

    @Test
    @Timeout(60)
    void capacityBetweenAnOfferAndTheWaitForItLosesNoEvent() throws Exception {
        storage.hold();
        fillQueue();
        EventWriter racing = spy(writer);
        AtomicInteger waits = new AtomicInteger();
        doAnswer(wait -> {
                    if (waits.getAndIncrement() == 0) {
                        storage.release();
                    }
                    return wait.callRealMethod();
                })
                .when(racing)
                .whenCapacity(any(), any());
        server.close();
        server = new TestServer(racing, streams, settings.authorization(), Duration.ofSeconds(60));
        channel = server.channel();
        client = EventServiceGrpc.newBlockingStub(channel);
        Replies replies = new Replies();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        for (int id = 0; id < 10; id++) {
            stream.onNext(Requests.event("stream-" + id));
        }
        stream.onCompleted();
        while (waits.get() < 2) {
            Thread.onSpinWait();
        }
        // Behind everything that the stream has asked for.
        assertThat(refusal(Requests.event("1"))).startsWith("RESOURCE_EXHAUSTED");
        assertThat(waits).hasValue(2);
        releaseUntil(replies, 11);
    }

    @Test
    @Timeout(60)
    void aStreamWaitsForCapacityInTheQueue() throws InterruptedException {
        storage.hold();
        fillQueue();
        Replies replies = new Replies();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        for (int id = 0; id < 10; id++) {
            stream.onNext(Requests.event("stream-" + id));
        }
        stream.onCompleted();
        releaseUntil(replies, 11);
        for (int id = 0; id < 10; id++) {
            assertThat(replies.next()).isEqualTo("true Event processed successfully");
        }
        assertThat(replies.next()).isEqualTo("OK");
        assertThat(storage.stored().stream().flatMap(List::stream).filter(row -> row.contains("stream-")))
                .hasSize(10)
                .isSorted();
    }

    @Test
    void aStreamEndsWithTheStatusOfTheError() throws InterruptedException {
        Replies replies = new Replies();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        stream.onNext(Requests.event("1"));
        stream.onNext(padded(1_048_576));
        assertThat(replies.next()).isEqualTo("true Event processed successfully");
        assertThat(replies.next()).isEqualTo("RESOURCE_EXHAUSTED body: larger than 1048576 bytes");
    }

    @Test
    void aServerThatStopsEndsItsStreams() throws InterruptedException {
        Replies replies = new Replies();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        stream.onNext(Requests.event("1"));
        assertThat(replies.next()).isEqualTo("true Event processed successfully");
        streams.stopAll();
        assertThat(replies.next()).isEqualTo("UNAVAILABLE server: stopping, retry later");
    }

    @Test
    void healthIsThatOfTheDatabase() {
        HealthGrpc.HealthBlockingStub standard = HealthGrpc.newBlockingStub(channel);
        assertThat(client.healthCheck(HealthRequest.getDefaultInstance()).getMessage())
                .isEqualTo("OK");
        assertThat(standard.check(service("com.example.grpc.EventService")).getStatus())
                .isEqualTo(ServingStatus.SERVING);
        storage.leave();
        assertThat(client.healthCheck(HealthRequest.getDefaultInstance()).getMessage())
                .isEqualTo("database: unavailable");
        assertThat(standard.check(service("")).getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
        StatusRuntimeException unknown =
                catchThrowableOfType(StatusRuntimeException.class, () -> standard.check(service("other")));
        assertThat(unknown.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    }

    @Test
    void aWatcherReceivesTheStatusUntilTheServerStops() {
        var statuses = HealthGrpc.newBlockingStub(channel).watch(service(""));
        assertThat(statuses.next().getStatus()).isEqualTo(ServingStatus.SERVING);
        var unknown = HealthGrpc.newBlockingStub(channel).watch(service("other"));
        assertThat(unknown.next().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
        streams.stopAll();
        assertThat(statuses.hasNext()).isFalse();
        assertThat(unknown.hasNext()).isFalse();
    }

    private void releaseUntil(Replies replies, int expected) {
        while (replies.size() < expected) {
            if (storage.held() > 0) {
                storage.release();
            }
            Thread.onSpinWait();
        }
    }

    private void fillQueue() {
        for (int id = 0; writer.offer(Events.event(id + "={}"), outcome -> {}); id++) {
            assertThat(id).isLessThan(10);
        }
    }

    private String refusal(EventRequest request) {
        return text(catchThrowableOfType(StatusRuntimeException.class, () -> client.processEvent(request)));
    }

    private static String text(StatusRuntimeException failure) {
        return failure.getStatus().getCode() + " " + failure.getStatus().getDescription();
    }

    private static HealthCheckRequest service(String name) {
        return HealthCheckRequest.newBuilder().setService(name).build();
    }

    private static EventRequest padded(int bytes) {
        return Requests.event("1").toBuilder()
                .mergeFrom(EventRequest.newBuilder()
                        .setUnknownFields(com.google.protobuf.UnknownFieldSet.newBuilder()
                                .addField(
                                        99,
                                        com.google.protobuf.UnknownFieldSet.Field.newBuilder()
                                                .addLengthDelimited(ByteString.copyFrom(new byte[bytes]))
                                                .build())
                                .build())
                        .build())
                .build();
    }

    /** Records the replies and the end of a stream. */
    private static final class Replies implements StreamObserver<EventResponse> {
        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

        String next() throws InterruptedException {
            String reply = received.poll(30, TimeUnit.SECONDS);
            assertThat(reply).as("a reply").isNotNull();
            return reply;
        }

        int size() {
            return received.size();
        }

        @Override
        public void onNext(EventResponse reply) {
            received.add(reply.getSuccess() + " " + reply.getMessage());
        }

        @Override
        public void onError(Throwable failure) {
            received.add(text((StatusRuntimeException) failure));
        }

        @Override
        public void onCompleted() {
            received.add("OK");
        }
    }
}

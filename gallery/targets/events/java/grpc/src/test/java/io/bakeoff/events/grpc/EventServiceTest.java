package io.bakeoff.events.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.example.grpc.EventBatchRequest;
import com.example.grpc.EventBatchResponse;
import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import com.example.grpc.EventServiceGrpc;
import com.example.grpc.HealthRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.Events;
import io.bakeoff.events.writing.FakeStorage;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import reactor.core.scheduler.Schedulers;

/** The whole application over a real connection, with an in-memory database. */
class EventServiceTest {
    private ConfigurableApplicationContext application;
    private FakeStorage storage;
    private ManagedChannel channel;
    private EventServiceGrpc.EventServiceBlockingStub client;

    static class InMemory {
        @Bean
        @Primary
        FakeStorage fakeStorage() {
            return new FakeStorage();
        }
    }

    EventServiceTest() {
        start("");
    }

    private void start(String token) {
        application = new SpringApplicationBuilder(GrpcApplication.class, InMemory.class)
                .run("--GRPC_SERVER_PORT=0", "--QUEUE_EVENTS=2", "--FLUSHERS=1", "--API_TOKEN=" + token);
        storage = application.getBean(FakeStorage.class);
        channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", application.getBean(ServerPort.class).number())
                .usePlaintext()
                .build();
        client = EventServiceGrpc.newBlockingStub(channel);
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        application.close();
    }

    @Test
    void anEventIsStored() {
        EventResponse reply = client.processEvent(Requests.event("1"));
        assertThat(reply.getSuccess()).isTrue();
        assertThat(reply.getMessage()).isEqualTo("Event processed successfully");
        assertThat(storage.stored()).containsExactly(List.of("Car/1={\"n\":0.1}"));
    }

    @Test
    void everyKindOfValue() {
        EventRequest.Builder request = Requests.event("1").toBuilder();
        request.getEventBodyBuilder()
                .getEntitiesBuilder(0)
                .clearUpdatedAttributes()
                .putUpdatedAttributes(
                        "list",
                        Value.newBuilder()
                                .setListValue(ListValue.newBuilder()
                                        .addValues(Value.newBuilder()
                                                .setNullValue(com.google.protobuf.NullValue.NULL_VALUE))
                                        .addValues(Value.newBuilder().setBoolValue(true))
                                        .addValues(Value.newBuilder().setNumberValue(3))
                                        .addValues(Value.newBuilder().setNumberValue(1e-5))
                                        .addValues(Value.newBuilder().setStringValue("ä"))
                                        .addValues(Value.newBuilder()
                                                .setStructValue(com.google.protobuf.Struct.getDefaultInstance())))
                                .build());
        client.processEvent(request.build());
        assertThat(storage.stored()).containsExactly(List.of("Car/1={\"list\":[null,true,3,0.00001,\"ä\",{}]}"));
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
        assertThat(refusal(padded(1_048_576))).isEqualTo("RESOURCE_EXHAUSTED body: larger than 1048576 bytes");
        EventRequest.Builder withoutKind = Requests.event("1").toBuilder();
        withoutKind.getEventBodyBuilder().getEntitiesBuilder(0).putUpdatedAttributes("a", Value.getDefaultInstance());
        assertThat(refusal(withoutKind.build()))
                .isEqualTo("INVALID_ARGUMENT eventBody.entities[0].updatedAttributes:"
                        + " contains a value without a kind");
        storage.refuse("1");
        assertThat(refusal(Requests.event("1"))).isEqualTo("INTERNAL internal error");
        storage.hang(Duration.ZERO, Schedulers.parallel());
        assertThat(refusal(Requests.event("1"))).isEqualTo("UNAVAILABLE database: unavailable, retry later");
        assertThat(client.healthCheck(HealthRequest.getDefaultInstance()).getHealthy())
                .isFalse();
    }

    @Test
    void aFullQueueIsResourceExhausted() {
        storage.hold();
        fillQueue();
        assertThat(refusal(Requests.event("1")))
                .isEqualTo("RESOURCE_EXHAUSTED overloaded: the write queue is full, retry later");
        while (storage.held() > 0) {
            storage.release();
        }
    }

    @Test
    void withoutTheTokenOnlyHealthIsAnswered() {
        stop();
        start("secret");
        String unauthorized = "UNAUTHENTICATED authorization: a valid bearer token is required";
        assertThat(refusal(Requests.event("1"))).isEqualTo(unauthorized);
        assertThat(client.healthCheck(HealthRequest.getDefaultInstance()).getHealthy())
                .isTrue();
        Metadata token = new Metadata();
        token.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer secret");
        client = client.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token));
        assertThat(client.processEvent(Requests.event("1")).getSuccess()).isTrue();
    }

    @Test
    void bothVersionsOfReflectionAreServed() throws InterruptedException {
        Replies<ServerReflectionResponse> replies =
                new Replies<>(reply -> reply.getListServicesResponse().toString());
        ServerReflectionGrpc.newStub(channel)
                .serverReflectionInfo(replies)
                .onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
        assertThat(replies.next())
                .contains("com.example.grpc.EventService", "grpc.health.v1.Health")
                .contains("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection");
    }

    @Test
    void aStreamRepliesInOrderAndContinuesAfterAnInvalidEvent() throws InterruptedException {
        Replies<EventResponse> replies = events();
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
    void aStreamWaitsForCapacityInTheQueue() throws InterruptedException {
        storage.hold();
        fillQueue();
        Replies<EventResponse> replies = events();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        for (int id = 0; id < 10; id++) {
            stream.onNext(Requests.event("stream-" + id));
        }
        stream.onCompleted();
        while (replies.size() < 11) {
            if (storage.held() > 0) {
                storage.release();
            }
            Thread.onSpinWait();
        }
        assertThat(storage.stored().stream().flatMap(List::stream).filter(row -> row.contains("stream-")))
                .hasSize(10)
                .isSorted();
    }

    @Test
    void aStreamEndsWithTheStatusOfTheError() throws InterruptedException {
        Replies<EventResponse> replies = events();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        stream.onNext(Requests.event("1"));
        stream.onNext(padded(1_048_576));
        assertThat(replies.next()).isEqualTo("true Event processed successfully");
        assertThat(replies.next()).isEqualTo("RESOURCE_EXHAUSTED body: larger than 1048576 bytes");
    }

    @Test
    void aServerThatStopsEndsItsStreams() throws InterruptedException {
        Replies<EventResponse> replies = events();
        StreamObserver<EventRequest> stream = EventServiceGrpc.newStub(channel).streamEvents(replies);
        stream.onNext(Requests.event("1"));
        assertThat(replies.next()).isEqualTo("true Event processed successfully");
        application.close();
        assertThat(replies.next()).isEqualTo("UNAVAILABLE server: stopping, retry later");
    }

    private void fillQueue() {
        EventWriter writer = application.getBean(EventWriter.class);
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

    private static EventRequest padded(int bytes) {
        UnknownFieldSet.Field padding = UnknownFieldSet.Field.newBuilder()
                .addLengthDelimited(ByteString.copyFrom(new byte[bytes]))
                .build();
        return Requests.event("1").toBuilder()
                .setUnknownFields(
                        UnknownFieldSet.newBuilder().addField(99, padding).build())
                .build();
    }

    private static Replies<EventResponse> events() {
        return new Replies<>(reply -> reply.getSuccess() + " " + reply.getMessage());
    }

    /** Records the replies and the end of a stream. */
    private record Replies<T>(Function<T, String> text, BlockingQueue<String> received) implements StreamObserver<T> {
        Replies(Function<T, String> text) {
            this(text, new LinkedBlockingQueue<>());
        }

        String next() throws InterruptedException {
            String reply = received.poll(60, TimeUnit.SECONDS);
            assertThat(reply).as("a reply").isNotNull();
            return reply;
        }

        int size() {
            return received.size();
        }

        @Override
        public void onNext(T reply) {
            received.add(text.apply(reply));
        }

        @Override
        public void onError(Throwable failure) {
            received.add(EventServiceTest.text((StatusRuntimeException) failure));
        }

        @Override
        public void onCompleted() {
            received.add("OK");
        }
    }
}

package io.bakeoff.events.grpc;

import com.example.grpc.EntityUpdate;
import com.example.grpc.EventBatchRequest;
import com.example.grpc.EventBody;
import com.example.grpc.EventHeader;
import com.example.grpc.EventRequest;
import com.example.grpc.EventServiceGrpc;
import com.google.protobuf.Value;
import io.bakeoff.events.process.ServerPort;
import io.bakeoff.events.training.Training;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.UUID;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Profile;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Calls the application's own API; see {@link Training}. */
@Configuration(proxyBeanMethods = false)
@Profile(Training.PROFILE)
class TrainingConfiguration {
    /** Created when it is first used, because only then the port is known. */
    @Bean(destroyMethod = "shutdownNow")
    @Lazy
    ManagedChannel channel(ServerPort port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port.number())
                .usePlaintext()
                .build();
    }

    @Bean
    Training training(@Lazy ManagedChannel channel, ConfigurableApplicationContext context) {
        return new Training(new Client(channel), context);
    }

    private static EventRequest request(String id) {
        return EventRequest.newBuilder()
                .setEventHeader(EventHeader.newBuilder()
                        .setUuid(id)
                        .setEventName("Training")
                        .setCreatedDate("2024-01-15T10:30:00.000Z"))
                .setEventBody(EventBody.newBuilder()
                        .addEntities(EntityUpdate.newBuilder()
                                .setEntityType("Training")
                                .setEntityId(id)
                                .putUpdatedAttributes(
                                        "number",
                                        Value.newBuilder().setNumberValue(1.5).build())
                                .putUpdatedAttributes(
                                        "text",
                                        Value.newBuilder().setStringValue("é").build())))
                .build();
    }

    private record Client(ManagedChannel channel) implements Training.Client {
        @Override
        public Mono<Void> send(UUID event) {
            return Mono.create(sink -> stub().processEvent(request(event.toString()), new Reply<>(sink)));
        }

        @Override
        public Mono<Void> sendBulk(List<UUID> events) {
            EventBatchRequest.Builder batch = EventBatchRequest.newBuilder();
            events.forEach(event -> batch.addEvents(request(event.toString())));
            return Mono.create(sink -> stub().processEventBatch(batch.build(), new Reply<>(sink)));
        }

        private EventServiceGrpc.EventServiceStub stub() {
            return EventServiceGrpc.newStub(channel);
        }
    }

    private record Reply<T>(MonoSink<Void> sink) implements StreamObserver<T> {
        @Override
        public void onNext(T reply) {}

        @Override
        public void onError(Throwable failure) {
            sink.error(failure);
        }

        @Override
        public void onCompleted() {
            sink.success();
        }
    }
}

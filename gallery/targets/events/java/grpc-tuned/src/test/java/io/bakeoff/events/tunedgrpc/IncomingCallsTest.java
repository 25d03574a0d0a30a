package io.bakeoff.events.tunedgrpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import com.example.grpc.EventServiceGrpc;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.writing.EventWriter;
import io.bakeoff.events.writing.FakeStorage;
import io.bakeoff.events.writing.Intake;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Schedulers;

/** Calls that generated clients cannot make. */
class IncomingCallsTest {
    private static final EventRequest EVENT = Requests.event("1");

    private final FakeStorage storage = new FakeStorage();
    private final Settings settings = Settings.read(variable -> null);
    private final EventWriter writer = new EventWriter(storage, settings, Schedulers.parallel());
    private TestServer server;

    @AfterEach
    void stop() throws InterruptedException {
        server.close();
    }

    @Test
    void aUnaryCallHasOneMessage() throws Exception {
        serve(Duration.ofSeconds(60));
        for (List<EventRequest> messages : List.of(List.<EventRequest>of(), List.of(EVENT, EVENT))) {
            Call call = new Call(unary(), CallOptions.DEFAULT);
            messages.forEach(call::send);
            call.halfClose();
            assertThat(call.end().getCode()).isEqualTo(Status.Code.INTERNAL);
        }
        nothingIsStoredAndTheConnectionStaysUsable();
    }

    @Test
    void compressionIsUnimplementedWithTheAcceptedEncodings() throws Exception {
        serve(Duration.ofSeconds(60));
        for (String method : List.of("com.example.grpc.EventService/ProcessEvent", "no.such/Method")) {
            Call call = new Call(
                    unary().toBuilder().setFullMethodName(method).build(), CallOptions.DEFAULT.withCompression("gzip"));
            call.send(EVENT);
            call.halfClose();
            assertThat(call.end().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
            assertThat(call.end().getDescription()).isEqualTo("grpc-encoding: must be identity");
            assertThat(call.accepted()).isEqualTo("identity");
        }
        nothingIsStoredAndTheConnectionStaysUsable();
    }

    @Test
    void anUndeclaredCompressedMessageIsInternal() throws Exception {
        serve(Duration.ofSeconds(60));
        for (MethodDescriptor<EventRequest, EventResponse> method :
                List.of(unary(), EventServiceGrpc.getStreamEventsMethod())) {
            Call call = new Call(method, CallOptions.DEFAULT.withCompression("identity"));
            call.send(EVENT);
            call.halfClose();
            assertThat(call.end().getCode()).isEqualTo(Status.Code.INTERNAL);
        }
        nothingIsStoredAndTheConnectionStaysUsable();
    }

    @Test
    void aStreamWithRepliesEndsWithTheStatusToo() throws Exception {
        serve(Duration.ofSeconds(60));
        Call call = new Call(EventServiceGrpc.getStreamEventsMethod(), CallOptions.DEFAULT.withCompression("identity"));
        call.compress(false);
        call.send(EVENT);
        call.awaitReply();
        call.compress(true);
        call.send(EVENT);
        assertThat(call.end().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(storage.stored()).hasSize(1);
    }

    @Test
    void aMessageForWhichTheBudgetHasNoRoomIsRefused() throws Exception {
        int budget = 8 << 20;
        server = new TestServer(
                writer, new OpenStreams(), settings.authorization(), new Intake(budget), Duration.ofSeconds(60));
        Call call = new Call(
                EventServiceGrpc.getProcessEventBatchMethod().toBuilder(
                                EventServiceGrpc.getProcessEventMethod().getRequestMarshaller(),
                                EventServiceGrpc.getProcessEventMethod().getResponseMarshaller())
                        .setType(MethodType.CLIENT_STREAMING)
                        .build(),
                CallOptions.DEFAULT);
        call.send(Requests.event("x".repeat(budget + (1 << 20))));
        assertThat(call.end().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(call.end().getDescription()).isEqualTo(Problem.TOO_MANY_BYTES.message());
        nothingIsStoredAndTheConnectionStaysUsable();
    }

    @Test
    void aMissingMessageTimesOut() throws Exception {
        serve(Duration.ofMillis(1));
        Call silent = new Call(unary(), CallOptions.DEFAULT);
        assertThat(silent.end().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        assertThat(silent.end().getDescription()).isEqualTo("body: incomplete");
        assertThat(storage.stored()).isEmpty();
    }

    private void serve(Duration timeout) throws IOException {
        server = new TestServer(writer, new OpenStreams(), settings.authorization(), timeout);
    }

    private void nothingIsStoredAndTheConnectionStaysUsable() throws Exception {
        assertThat(storage.stored()).isEmpty();
        Call sound = new Call(unary(), CallOptions.DEFAULT);
        sound.send(EVENT);
        sound.halfClose();
        assertThat(sound.end().isOk()).isTrue();
        assertThat(storage.stored()).hasSize(1);
    }

    /** The method as a client that may send any number of messages. */
    private static MethodDescriptor<EventRequest, EventResponse> unary() {
        return EventServiceGrpc.getProcessEventMethod().toBuilder()
                .setType(MethodType.CLIENT_STREAMING)
                .build();
    }

    /** A call without the checks of generated stubs. */
    private final class Call extends ClientCall.Listener<EventResponse> {
        private final ClientCall<EventRequest, EventResponse> call;
        private final CompletableFuture<Status> end = new CompletableFuture<>();
        private final CompletableFuture<Void> reply = new CompletableFuture<>();
        private final CompletableFuture<Metadata> trailers = new CompletableFuture<>();

        Call(MethodDescriptor<EventRequest, EventResponse> method, CallOptions options) {
            call = server.channel().newCall(method, options);
            call.start(this, new Metadata());
            call.request(2);
        }

        void compress(boolean compress) {
            call.setMessageCompression(compress);
        }

        void send(EventRequest message) {
            call.sendMessage(message);
        }

        void halfClose() {
            call.halfClose();
        }

        void awaitReply() throws Exception {
            reply.get(30, TimeUnit.SECONDS);
        }

        Status end() throws Exception {
            return end.get(30, TimeUnit.SECONDS);
        }

        String accepted() throws Exception {
            return trailers.get(30, TimeUnit.SECONDS)
                    .get(Metadata.Key.of("grpc-accept-encoding", Metadata.ASCII_STRING_MARSHALLER));
        }

        @Override
        public void onMessage(EventResponse message) {
            reply.complete(null);
        }

        @Override
        public void onClose(Status status, Metadata last) {
            trailers.complete(last);
            end.complete(status);
        }
    }
}

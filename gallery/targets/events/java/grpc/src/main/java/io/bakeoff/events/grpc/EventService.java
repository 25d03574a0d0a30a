package io.bakeoff.events.grpc;

import com.example.grpc.EventBatchRequest;
import com.example.grpc.EventBatchResponse;
import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import com.example.grpc.EventServiceGrpc;
import com.example.grpc.HealthRequest;
import com.example.grpc.HealthResponse;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.BulkReply;
import io.bakeoff.events.model.BulkReport;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.writing.EventWriter;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import org.springframework.stereotype.Service;

/** The API. */
@Service
class EventService extends EventServiceGrpc.EventServiceImplBase {
    private final Messages messages;
    private final EventWriter writer;
    private final Shutdown shutdown;

    EventService(Messages messages, EventWriter writer, Shutdown shutdown) {
        this.messages = messages;
        this.writer = writer;
        this.shutdown = shutdown;
    }

    @Override
    public void processEvent(EventRequest request, StreamObserver<EventResponse> replies) {
        Decoded decoded = messages.event(request);
        if (decoded instanceof Event event) {
            writer.store(event, outcome -> reply(outcome, replies));
        } else {
            replies.onError(Statuses.exception((Problem) decoded));
        }
    }

    @Override
    public void processEventBatch(EventBatchRequest request, StreamObserver<EventBatchResponse> replies) {
        DecodedBulk decoded = bulk(request.getEventsList());
        if (decoded instanceof Bulk bulk) {
            writer.storeBulk(bulk.events()).subscribe(result -> reply(result, replies));
        } else {
            replies.onError(Statuses.exception((Problem) decoded));
        }
    }

    @Override
    public StreamObserver<EventRequest> streamEvents(StreamObserver<EventResponse> replies) {
        return EventStream.open(messages, writer, shutdown, (ServerCallStreamObserver<EventResponse>) replies);
    }

    @Override
    public void healthCheck(HealthRequest request, StreamObserver<HealthResponse> replies) {
        writer.isHealthy().subscribe(healthy -> {
            replies.onNext(HealthResponse.newBuilder()
                    .setHealthy(healthy)
                    .setMessage(healthy ? "OK" : "database: unavailable")
                    .build());
            replies.onCompleted();
        });
    }

    private DecodedBulk bulk(List<EventRequest> requests) {
        return Bulk.of(
                requests.stream()
                        .limit(Limits.BULK_EVENTS)
                        .map(messages::element)
                        .toList(),
                requests.size());
    }

    private static void reply(Outcome outcome, StreamObserver<EventResponse> replies) {
        if (outcome instanceof Problem problem) {
            replies.onError(Statuses.exception(problem));
        } else {
            replies.onNext(Messages.STORED);
            replies.onCompleted();
        }
    }

    private static void reply(BulkReply result, StreamObserver<EventBatchResponse> replies) {
        if (result instanceof BulkReport report) {
            replies.onNext(Messages.response(report));
            replies.onCompleted();
        } else {
            replies.onError(Statuses.exception((Problem) result));
        }
    }
}

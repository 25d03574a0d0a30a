package io.bakeoff.events.grpc;

import com.example.grpc.EventBatchResponse;
import com.example.grpc.EventFailure;
import com.example.grpc.EventRequest;
import com.example.grpc.EventResponse;
import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.BulkReport;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import io.bakeoff.events.request.EntityUpdate;
import io.bakeoff.events.request.EventBody;
import io.bakeoff.events.request.EventHeader;
import io.bakeoff.events.request.EventRequests;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** Converts generated messages to requests, which are validated like those of REST, and results to messages. */
@Component
class Messages {
    static final EventResponse STORED = EventResponse.newBuilder()
            .setSuccess(true)
            .setMessage(Stored.MESSAGE)
            .build();

    private final EventRequests requests;

    Messages(EventRequests requests) {
        this.requests = requests;
    }

    /** The event of a message, or a rule that it breaks. */
    Decoded event(EventRequest message) {
        return message.getSerializedSize() > Limits.EVENT_BYTES
                ? Problem.bodyTooLarge(Limits.EVENT_BYTES)
                : validate(message);
    }

    /** The event of an element of a batch, or a rule that it breaks. */
    Decoded element(EventRequest message) {
        return message.getSerializedSize() > Limits.EVENT_BYTES ? Bulk.EVENT_TOO_LARGE : validate(message);
    }

    private Decoded validate(EventRequest message) {
        try {
            return requests.validate(request(message));
        } catch (ValueException unsupported) {
            return Problem.invalid(unsupported.getMessage());
        }
    }

    static EventBatchResponse response(BulkReport report) {
        EventBatchResponse.Builder response = EventBatchResponse.newBuilder()
                .setSuccess(report.success())
                .setMessage(report.message())
                .setProcessedCount(report.processedCount())
                .setFailedCount(report.failedCount())
                .setBatchId(report.batchId())
                .setProcessingTimeMs((int) report.processingTimeMs());
        for (BulkReport.Failure failure : report.failures()) {
            response.addFailures(
                    EventFailure.newBuilder().setIndex(failure.index()).setMessage(failure.message()));
        }
        return response.build();
    }

    private static io.bakeoff.events.request.EventRequest request(EventRequest message) {
        return new io.bakeoff.events.request.EventRequest(
                message.hasEventHeader() ? header(message.getEventHeader()) : null,
                message.hasEventBody() ? body(message.getEventBody()) : null);
    }

    private static EventHeader header(com.example.grpc.EventHeader header) {
        return new EventHeader(
                header.getUuid(),
                header.getEventName(),
                header.getCreatedDate(),
                header.getSavedDate(),
                header.getEventType());
    }

    private static EventBody body(com.example.grpc.EventBody body) {
        List<EntityUpdate> entities = new ArrayList<>(body.getEntitiesCount());
        for (com.example.grpc.EntityUpdate entity : body.getEntitiesList()) {
            entities.add(new EntityUpdate(
                    entity.getEntityType(),
                    entity.getEntityId(),
                    JsonValues.object(
                            entity.getUpdatedAttributesMap(),
                            "eventBody.entities[" + entities.size() + "].updatedAttributes")));
        }
        return new EventBody(entities);
    }
}

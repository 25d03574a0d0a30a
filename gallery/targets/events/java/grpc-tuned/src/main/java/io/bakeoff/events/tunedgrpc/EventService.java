package io.bakeoff.events.tunedgrpc;

import com.example.grpc.EventBatchRequest;
import com.example.grpc.EventBatchResponse;
import com.example.grpc.EventFailure;
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
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import io.bakeoff.events.protobuf.ProtobufEvents;
import io.bakeoff.events.writing.EventWriter;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import org.springframework.stereotype.Component;

/**
 * Decodes requests, calls the writer, encodes its replies.
 *
 * <p>Binds custom marshallers instead of extending the generated base class, with which grpc-java would parse requests;
 * names, replies and reflection are the generated ones.
 */
@Component
final class EventService implements BindableService {
    static final EventResponse STORED = EventResponse.newBuilder()
            .setSuccess(true)
            .setMessage(Stored.MESSAGE)
            .build();

    private static final MethodDescriptor<Decoded, EventResponse> PROCESS_EVENT =
            decoding(EventServiceGrpc.getProcessEventMethod());
    private static final MethodDescriptor<Decoded, EventResponse> STREAM_EVENTS =
            decoding(EventServiceGrpc.getStreamEventsMethod());
    private static final MethodDescriptor<DecodedBulk, EventBatchResponse> PROCESS_BATCH =
            decodingBulk(EventServiceGrpc.getProcessEventBatchMethod());
    private static final MethodDescriptor<HealthRequest, HealthResponse> HEALTH_CHECK =
            EventServiceGrpc.getHealthCheckMethod();

    private final EventWriter writer;
    private final OpenStreams streams;

    EventService(EventWriter writer, OpenStreams streams) {
        this.writer = writer;
        this.streams = streams;
    }

    @Override
    public ServerServiceDefinition bindService() {
        ServiceDescriptor descriptor = ServiceDescriptor.newBuilder(EventServiceGrpc.SERVICE_NAME)
                .setSchemaDescriptor(EventServiceGrpc.getServiceDescriptor().getSchemaDescriptor())
                .addMethod(PROCESS_EVENT)
                .addMethod(PROCESS_BATCH)
                .addMethod(STREAM_EVENTS)
                .addMethod(HEALTH_CHECK)
                .build();
        return ServerServiceDefinition.builder(descriptor)
                .addMethod(PROCESS_EVENT, ServerCalls.asyncUnaryCall(this::processEvent))
                .addMethod(PROCESS_BATCH, ServerCalls.asyncUnaryCall(this::processBatch))
                .addMethod(STREAM_EVENTS, ServerCalls.asyncBidiStreamingCall(this::streamEvents))
                .addMethod(HEALTH_CHECK, ServerCalls.asyncUnaryCall(this::healthCheck))
                .build();
    }

    private void processEvent(Decoded decoded, StreamObserver<EventResponse> reply) {
        if (decoded instanceof Event event) {
            writer.store(event, outcome -> answer(outcome, reply));
        } else {
            reply.onError(Statuses.exception((Problem) decoded));
        }
    }

    private void processBatch(DecodedBulk decoded, StreamObserver<EventBatchResponse> reply) {
        if (decoded instanceof Bulk bulk) {
            writer.storeBulk(bulk.events()).subscribe(result -> answer(result, reply));
        } else {
            reply.onError(Statuses.exception((Problem) decoded));
        }
    }

    private StreamObserver<Decoded> streamEvents(StreamObserver<EventResponse> replies) {
        return EventStream.open(writer, streams, replies);
    }

    private void healthCheck(HealthRequest request, StreamObserver<HealthResponse> reply) {
        writer.isHealthy().subscribe(healthy -> {
            reply.onNext(HealthResponse.newBuilder()
                    .setHealthy(healthy)
                    .setMessage(healthy ? "OK" : "database: unavailable")
                    .build());
            reply.onCompleted();
        });
    }

    private static void answer(Outcome outcome, StreamObserver<EventResponse> reply) {
        if (outcome instanceof Problem problem) {
            reply.onError(Statuses.exception(problem));
        } else {
            reply.onNext(STORED);
            reply.onCompleted();
        }
    }

    private static void answer(BulkReply result, StreamObserver<EventBatchResponse> reply) {
        if (result instanceof BulkReport report) {
            reply.onNext(response(report));
            reply.onCompleted();
        } else {
            reply.onError(Statuses.exception((Problem) result));
        }
    }

    private static EventBatchResponse response(BulkReport report) {
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

    private static MethodDescriptor<Decoded, EventResponse> decoding(
            MethodDescriptor<EventRequest, EventResponse> generated) {
        return generated.toBuilder(new RequestMarshaller<>(ProtobufEvents::event), generated.getResponseMarshaller())
                .build();
    }

    private static MethodDescriptor<DecodedBulk, EventBatchResponse> decodingBulk(
            MethodDescriptor<EventBatchRequest, EventBatchResponse> generated) {
        return generated.toBuilder(new RequestMarshaller<>(ProtobufEvents::bulk), generated.getResponseMarshaller())
                .build();
    }
}

package io.bakeoff.events.tunedgrpc;

import com.example.grpc.EntityUpdate;
import com.example.grpc.EventBody;
import com.example.grpc.EventHeader;
import com.example.grpc.EventRequest;
import com.google.protobuf.Value;

/** Requests for tests. */
final class Requests {
    private Requests() {}

    /** An event of one update of a car. */
    static EventRequest event(String id) {
        return EventRequest.newBuilder()
                .setEventHeader(EventHeader.newBuilder()
                        .setUuid("6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b")
                        .setEventName("CarCreated"))
                .setEventBody(EventBody.newBuilder()
                        .addEntities(EntityUpdate.newBuilder()
                                .setEntityType("Car")
                                .setEntityId(id)
                                .putUpdatedAttributes(
                                        "n",
                                        Value.newBuilder().setNumberValue(0.1).build())))
                .build();
    }
}

package io.bakeoff.events.request;

import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import io.bakeoff.events.model.Problem;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;
import java.util.Comparator;
import java.util.List;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Validates requests and converts them to events. */
@Component
public final class EventRequests {
    /** Fields in the order in which the contract reports broken rules. */
    private static final List<String> FIELDS = List.of(
            "eventHeader",
            "eventBody",
            "uuid",
            "eventName",
            "createdDate",
            "savedDate",
            "eventType",
            "entities",
            "entityType",
            "entityId",
            "updatedAttributes");

    /** The order of messages {@code path: reason}, of which the first is reported. */
    public static final Comparator<String> REPORTING_ORDER = Comparator.comparing(
                    (String message) -> !message.startsWith("eventHeader"))
            .thenComparing(EventRequests::entityPath)
            .thenComparing(message -> FIELDS.indexOf(field(message)));

    private final Validator validator;
    private final JsonMapper mapper;

    /** Uses the validator and the mapper that Spring Boot configures. */
    public EventRequests(Validator validator, JsonMapper mapper) {
        this.validator = validator;
        this.mapper = mapper;
    }

    /** The event that a request contains, or a rule that it breaks. */
    public Decoded validate(EventRequest request) {
        return validator.validate(request).stream()
                .map(EventRequests::message)
                .min(REPORTING_ORDER)
                .<Decoded>map(Problem::invalid)
                .orElseGet(() -> event(request));
    }

    /** The event of a request that is valid. */
    public Event event(EventRequest request) {
        List<EntityUpdate> updates = request.eventBody().entities();
        return new Event(updates.stream().map(this::entity).toList());
    }

    private Entity entity(EntityUpdate update) {
        return new Entity(
                Key.of(update.entityType(), update.entityId()), mapper.writeValueAsBytes(update.updatedAttributes()));
    }

    private static String message(ConstraintViolation<EventRequest> violation) {
        String path = violation.getPropertyPath().toString().replace(".<list element>", "");
        return path + ": " + violation.getMessage();
    }

    /** {@code entities[0]} of {@code eventBody.entities[0].entityId: required}. */
    private static String entityPath(String message) {
        return message.contains("[") ? message.substring(0, message.indexOf(']')) : "";
    }

    /** {@code entityId} of {@code eventBody.entities[0].entityId: required}. */
    private static String field(String message) {
        String path = message.substring(0, message.indexOf(':'));
        return path.substring(path.lastIndexOf('.') + 1);
    }
}

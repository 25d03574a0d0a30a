package io.bakeoff.events.rest;

import io.bakeoff.events.model.Bulk;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.DecodedBulk;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Limits;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.request.EventRequest;
import io.bakeoff.events.request.EventRequests;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Binds and validates the elements of a bulk. */
@Component
final class BulkRequests {
    private final EventRequests requests;
    private final JsonMapper mapper;

    BulkRequests(EventRequests requests, JsonMapper mapper) {
        this.requests = requests;
        this.mapper = mapper;
    }

    /**
     * The bulk that a body contains.
     *
     * @throws ProblemException when no event is valid
     */
    Bulk bulk(JsonNode body) {
        if (!body.isArray()) {
            throw new ProblemException(Problem.invalid("body: must be an array"));
        }
        List<Decoded> events = new ArrayList<>();
        for (JsonNode element : body.size() > Limits.BULK_EVENTS ? List.<JsonNode>of() : body) {
            events.add(event(element));
        }
        DecodedBulk bulk = Bulk.of(events, body.size());
        if (bulk instanceof Problem problem) {
            throw new ProblemException(problem);
        }
        return (Bulk) bulk;
    }

    private Decoded event(JsonNode element) {
        if (!element.isObject()) {
            return Problem.invalid("event: must be an object");
        }
        try {
            Decoded event = requests.validate(mapper.treeToValue(element, EventRequest.class));
            return event instanceof Event valid && isTooLarge(valid, element) ? Bulk.EVENT_TOO_LARGE : event;
        } catch (JacksonException unreadable) {
            return BindingErrors.problem(unreadable);
        }
    }

    /** Measures the JSON of large events only. */
    private boolean isTooLarge(Event event, JsonNode element) {
        return event.bytes() > Limits.EVENT_BYTES / 2 && mapper.writeValueAsBytes(element).length > Limits.EVENT_BYTES;
    }
}

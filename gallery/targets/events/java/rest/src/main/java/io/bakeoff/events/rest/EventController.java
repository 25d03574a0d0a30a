package io.bakeoff.events.rest;

import io.bakeoff.events.model.BulkReport;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import io.bakeoff.events.request.EventRequest;
import io.bakeoff.events.request.EventRequests;
import io.bakeoff.events.writing.EventWriter;
import jakarta.validation.Valid;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/** The API. */
@RestController
@RequestMapping("/api/v1/events")
class EventController {
    private final EventRequests requests;
    private final BulkRequests bulks;
    private final EventWriter writer;

    EventController(EventRequests requests, BulkRequests bulks, EventWriter writer) {
        this.requests = requests;
        this.bulks = bulks;
        this.writer = writer;
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    Mono<Reply> processEvent(@Valid @RequestBody EventRequest request) {
        return writer.store(requests.event(request)).map(EventController::reply);
    }

    /** Elements are bound one by one: each is valid or invalid by itself. */
    @PostMapping(path = "/bulk", consumes = MediaType.APPLICATION_JSON_VALUE)
    Mono<BulkReport> processBulk(@RequestBody JsonNode body) {
        return writer.storeBulk(bulks.bulk(body).events()).map(result -> {
            if (result instanceof Problem problem) {
                throw new ProblemException(problem);
            }
            return (BulkReport) result;
        });
    }

    @GetMapping("/health")
    Mono<ResponseEntity<Health>> health() {
        return writer.isHealthy()
                .map(healthy -> healthy
                        ? ResponseEntity.ok(new Health(true, "OK"))
                        : ResponseEntity.status(503).body(new Health(false, "database: unavailable")));
    }

    private static Reply reply(Outcome outcome) {
        if (outcome instanceof Problem problem) {
            throw new ProblemException(problem);
        }
        return new Reply(true, Stored.MESSAGE);
    }

    /** The reply to an event, and to every request that fails. */
    record Reply(boolean success, String message) {}

    /** The reply to a health check. */
    record Health(boolean healthy, String message) {}
}

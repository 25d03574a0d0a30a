package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Events to store in one statement, in the order of arrival, with their acknowledgements. */
final class Batch {
    private static final Logger log = LoggerFactory.getLogger(Batch.class);

    private final List<Event> events = new ArrayList<>();
    private final List<Acknowledgement> acknowledgements = new ArrayList<>();

    void add(Waiting waiting) {
        events.add(waiting.event());
        acknowledgements.add(waiting.acknowledgement());
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    List<Event> events() {
        return events;
    }

    void acknowledge(List<Outcome> outcomes) {
        for (int index = 0; index < acknowledgements.size(); index++) {
            acknowledge(acknowledgements.get(index), outcomes.get(index));
        }
    }

    /** A failure to answer one client must not affect the others. */
    private static void acknowledge(Acknowledgement acknowledgement, Outcome outcome) {
        try {
            acknowledgement.give(outcome);
        } catch (RuntimeException failure) {
            log.error("delivering an outcome failed", failure);
        }
    }

    /** A queued event and its acknowledgement. */
    record Waiting(Event event, Acknowledgement acknowledgement) {}
}

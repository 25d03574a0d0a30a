package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Events to store in one statement, in the order of arrival, and who waits for them. */
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

    /** Trouble with one client must not keep the others from their answers. */
    private static void acknowledge(Acknowledgement acknowledgement, Outcome outcome) {
        try {
            acknowledgement.give(outcome);
        } catch (RuntimeException failure) {
            log.error("an outcome could not be told", failure);
        }
    }

    /** An event that waits to be stored, and for whom. */
    record Waiting(Event event, Acknowledgement acknowledgement) {}
}

package io.bakeoff.events.writing;

import io.bakeoff.events.model.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Collects the outcomes of several events, which may come from several batches. */
final class Outcomes {
    private final Outcome[] outcomes;
    private final AtomicInteger missing;
    private final Consumer<List<Outcome>> whenComplete;

    Outcomes(int events, Consumer<List<Outcome>> whenComplete) {
        this.outcomes = new Outcome[events];
        this.missing = new AtomicInteger(events);
        this.whenComplete = whenComplete;
    }

    /** The acknowledgement of the event at this index. */
    Acknowledgement of(int index) {
        return outcome -> {
            outcomes[index] = outcome;
            // Also makes writes of other threads visible to the last one.
            if (missing.decrementAndGet() == 0) {
                whenComplete.accept(Arrays.asList(outcomes));
            }
        };
    }
}

package io.bakeoff.events.writing;

import io.bakeoff.events.model.Outcome;

/** Receives the outcome of an accepted event, once. Called on an event loop: must not block. */
@FunctionalInterface
public interface Acknowledgement {
    /** Delivers the outcome. */
    void give(Outcome outcome);
}

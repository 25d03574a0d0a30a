package io.bakeoff.events.writing;

import io.bakeoff.events.model.Outcome;

/** Is told once what became of an event that was accepted. Called on a thread of the database's: must not block. */
@FunctionalInterface
public interface Acknowledgement {
    /** The event is durable, or known not to be. */
    void give(Outcome outcome);
}

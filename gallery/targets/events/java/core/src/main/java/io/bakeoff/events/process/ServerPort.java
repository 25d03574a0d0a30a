package io.bakeoff.events.process;

/** The port that the server actually listens on. */
@FunctionalInterface
public interface ServerPort {
    /** The port; known once the server has started. */
    int number();
}

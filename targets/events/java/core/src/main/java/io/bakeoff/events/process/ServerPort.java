package io.bakeoff.events.process;

/** The port that a server listens on, whatever was asked for. */
@FunctionalInterface
public interface ServerPort {
    /** The port; known once the server has started. */
    int number();
}

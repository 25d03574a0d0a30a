package io.bakeoff.events.model;

/** The result of an event: stored durably, or the reason why not. */
public sealed interface Outcome permits Stored, Problem {}

package io.bakeoff.events.model;

/** What became of an event: stored and durable, or the reason why not. */
public sealed interface Outcome permits Stored, Problem {}

package io.bakeoff.events.model;

/** A decoded message: a valid event, or the first broken rule. */
public sealed interface Decoded permits Event, Problem {}

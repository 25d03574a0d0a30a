package io.bakeoff.events.model;

/** A decoded bulk: at least one valid event, or the reason why nothing can be stored. */
public sealed interface DecodedBulk permits Bulk, Problem {}

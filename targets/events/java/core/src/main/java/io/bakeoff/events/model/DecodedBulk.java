package io.bakeoff.events.model;

/** What a decoder makes of a bulk: events of which at least one is valid, or why nothing of it can be stored. */
public sealed interface DecodedBulk permits Bulk, Problem {}

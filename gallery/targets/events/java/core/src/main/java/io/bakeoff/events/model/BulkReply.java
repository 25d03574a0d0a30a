package io.bakeoff.events.model;

/** The result of a bulk: a report on each event, or the reason why nothing was stored. */
public sealed interface BulkReply permits BulkReport, Problem {}

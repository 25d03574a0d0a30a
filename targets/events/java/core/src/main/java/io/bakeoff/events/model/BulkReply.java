package io.bakeoff.events.model;

/** What became of a bulk: its events have been answered each by itself, or nothing of it was stored. */
public sealed interface BulkReply permits BulkReport, Problem {}

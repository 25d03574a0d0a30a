package io.bakeoff.events.model;

/** What a decoder makes of a message: an event that obeys every rule, or the first rule that it breaks. */
public sealed interface Decoded permits Event, Problem {}

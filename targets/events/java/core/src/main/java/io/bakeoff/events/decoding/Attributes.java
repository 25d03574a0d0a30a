package io.bakeoff.events.decoding;

import org.jspecify.annotations.Nullable;

/**
 * {@code updatedAttributes}.
 *
 * @param text JSON text of an object
 * @param flaw the first thing in it that cannot be stored
 */
@SuppressWarnings("ArrayRecordComponent")
public record Attributes(byte[] text, @Nullable Flaw flaw) implements Field {}

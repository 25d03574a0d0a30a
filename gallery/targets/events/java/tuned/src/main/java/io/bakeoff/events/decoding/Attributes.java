package io.bakeoff.events.decoding;

import org.jspecify.annotations.Nullable;

/**
 * {@code updatedAttributes}.
 *
 * @param text JSON text of an object
 * @param unstorable the first part of it that cannot be stored
 */
@SuppressWarnings("ArrayRecordComponent")
public record Attributes(byte[] text, @Nullable Unstorable unstorable) implements Field {}

package io.bakeoff.events.decoding;

/** Why a field has no value of the expected type. */
public enum NoValue implements Field {
    /** The field is missing. */
    ABSENT,
    /** {@code null}: like a missing field, except that the name must not occur again. */
    NULL,
    /** A value of another type. */
    WRONG_KIND,
    /** The name occurs more than once. */
    DUPLICATE
}

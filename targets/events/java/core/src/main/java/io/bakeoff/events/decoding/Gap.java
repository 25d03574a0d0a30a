package io.bakeoff.events.decoding;

/** Why no value of the right kind stands where a field belongs. */
public enum Gap implements Field {
    /** Nothing stands there. */
    ABSENT,
    /** {@code null}: the same as nothing, except that its name must not come again. */
    NULL,
    /** A value of some other kind. */
    WRONG_KIND,
    /** The name occurs more than once. */
    DUPLICATE
}

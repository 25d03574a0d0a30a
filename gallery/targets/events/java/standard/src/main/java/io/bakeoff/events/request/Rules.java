package io.bakeoff.events.request;

/** Messages and patterns of the rules. */
final class Rules {
    static final String REQUIRED = "required";
    static final String AT_MOST = "must have at most {max} characters";
    static final String ENTITIES = "must hold 1 to 1000 entities";

    /** An empty one is reported as missing, not as malformed. */
    static final String UUID_OR_EMPTY = "|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

    private Rules() {}
}

package io.bakeoff.events.model;

/**
 * A failure with the exact message for the client. Each transport maps the kind to a status in one place.
 */
public record Problem(Kind kind, String message) implements Decoded, Outcome, DecodedBulk, BulkReply {
    /** The category of a failure. */
    public enum Kind {
        /** The request breaks a rule of the contract. */
        INVALID,
        /** The request takes too long to arrive. */
        TOO_SLOW,
        /** The request has more bytes or more events than the contract allows. */
        TOO_LARGE,
        /** The request's media type or content coding is not one the contract allows. */
        UNSUPPORTED_MEDIA,
        /** The request does not carry the token. */
        UNAUTHORIZED,
        /** The write queue is full. */
        OVERLOADED,
        /** Unfinished requests occupy all the memory that they may. */
        EXHAUSTED,
        /** The database is unavailable, or the process is stopping. */
        UNAVAILABLE,
        /** An internal error; details are in the log only. */
        INTERNAL
    }

    /** The write queue is full. */
    public static final Problem OVERLOADED =
            new Problem(Kind.OVERLOADED, "overloaded: the write queue is full, retry later");

    /** Unfinished requests occupy all the memory that they may. */
    public static final Problem TOO_MANY_BYTES =
            new Problem(Kind.EXHAUSTED, "server: unfinished requests occupy too much memory, retry later");

    /** The database has been unavailable for too long. */
    public static final Problem UNAVAILABLE = new Problem(Kind.UNAVAILABLE, "database: unavailable, retry later");

    /** The process is stopping. */
    public static final Problem STOPPING = new Problem(Kind.UNAVAILABLE, "server: stopping, retry later");

    /** The request does not carry the required token. */
    public static final Problem UNAUTHORIZED =
            new Problem(Kind.UNAUTHORIZED, "authorization: a valid bearer token is required");

    /** A body that breaks off. */
    public static final Problem INCOMPLETE_BODY = invalid("body: incomplete");

    /** A body or message that takes too long to arrive. */
    public static final Problem SLOW_BODY = new Problem(Kind.TOO_SLOW, "body: incomplete");

    /** An error that the client did not cause. */
    public static final Problem INTERNAL = new Problem(Kind.INTERNAL, "internal error");

    /** A broken rule: {@code <field path>: <reason>}. */
    public static Problem invalid(String message) {
        return new Problem(Kind.INVALID, message);
    }

    /** More bytes or events than allowed. */
    public static Problem tooLarge(String message) {
        return new Problem(Kind.TOO_LARGE, message);
    }

    /** A body of more than {@code limit} bytes. */
    public static Problem bodyTooLarge(int limit) {
        return tooLarge("body: larger than " + limit + " bytes");
    }

    /** A media type or content coding that is not accepted. */
    public static Problem unsupportedMedia(String message) {
        return new Problem(Kind.UNSUPPORTED_MEDIA, message);
    }
}

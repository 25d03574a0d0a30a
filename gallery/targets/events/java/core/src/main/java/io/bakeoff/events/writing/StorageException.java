package io.bakeoff.events.writing;

/** Why rows were not stored. */
public final class StorageException extends Exception {
    private static final long serialVersionUID = 1;

    /** Whether another attempt may succeed. */
    public enum Reason {
        /** The database cannot be reached or cannot accept writes now; a retry may succeed. */
        UNAVAILABLE,
        /** The statement, or the wait for a connection, timed out; a retry would take as long again. */
        TIMED_OUT,
        /** The database rejects these rows. */
        REJECTED
    }

    private final Reason reason;

    /** A failure with the message of the database or driver. */
    public StorageException(Reason reason, Throwable cause) {
        super(cause.getMessage(), cause);
        this.reason = reason;
    }

    /** The reason, which decides whether to retry. */
    public Reason reason() {
        return reason;
    }
}

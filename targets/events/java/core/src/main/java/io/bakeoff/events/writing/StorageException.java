package io.bakeoff.events.writing;

/** Why rows were not stored. */
public final class StorageException extends Exception {
    private static final long serialVersionUID = 1;

    /** What a failure says about the next attempt. */
    public enum Reason {
        /** The database cannot be reached or cannot take writes now; it may another time. */
        AWAY,
        /** The statement, or the wait for a connection, took too long; another attempt would take as long again. */
        TOO_SLOW,
        /** The database refuses these rows. */
        REFUSED
    }

    private final Reason reason;

    /** A failure with the database's or the driver's words. */
    public StorageException(Reason reason, Throwable cause) {
        super(cause.getMessage(), cause);
        this.reason = reason;
    }

    /** What it says about the next attempt. */
    public Reason reason() {
        return reason;
    }
}

package io.bakeoff.events.postgres;

import io.bakeoff.events.writing.StorageException;
import io.bakeoff.events.writing.StorageException.Reason;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.R2dbcTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Decides by the SQLSTATE whether a failed statement may succeed later. */
public final class PostgresErrors {
    /** The server cancels a statement that takes longer. */
    public static final Duration STATEMENT_TIMEOUT = Duration.ofSeconds(10);

    /** Includes additional time for the server to report a cancelled statement. */
    public static final Duration REPLY_TIMEOUT = STATEMENT_TIMEOUT.plusMillis(500);

    /**
     * Classes of SQLSTATE that are transient: connection, transaction rollback, insufficient resources, operator
     * intervention (shutdown, starting up), and a standby that is not yet promoted.
     */
    private static final List<String> TRANSIENT = List.of("08", "40", "53", "57", "25006");

    /** SQLSTATE of a statement that the server cancelled. */
    private static final String CANCELLED = "57014";

    private PostgresErrors() {}

    /** The failure of a statement or of acquiring a connection, with the reason that decides about a retry. */
    public static StorageException classify(Throwable error) {
        Throwable root = error;
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            root = cause;
            // Thrown by the pool when no connection became free in time, or by an operator.
            if (cause instanceof R2dbcTimeoutException || cause instanceof TimeoutException) {
                return new StorageException(Reason.TIMED_OUT, cause);
            }
            if (cause instanceof R2dbcException reply && isSqlState(reply.getSqlState())) {
                return new StorageException(reason(reply.getSqlState()), cause);
            }
        }
        return new StorageException(Reason.UNAVAILABLE, root);
    }

    private static boolean isSqlState(@Nullable String code) {
        return code != null && code.length() == 5;
    }

    private static Reason reason(String code) {
        if (code.equals(CANCELLED)) {
            return Reason.TIMED_OUT;
        }
        return TRANSIENT.stream().anyMatch(code::startsWith) ? Reason.UNAVAILABLE : Reason.REJECTED;
    }
}

package io.bakeoff.events.model;

import java.util.List;

/**
 * The reply to a bulk with at least one valid event. Its components are the members of the JSON reply.
 *
 * @param success whether no event failed
 * @param message the summary: {@code 2 of 3 events processed}
 */
public record BulkReport(
        boolean success,
        String message,
        int processedCount,
        int failedCount,
        String batchId,
        long processingTimeMs,
        List<Failure> failures)
        implements BulkReply {
    /**
     * One event of a bulk that was not stored.
     *
     * @param index position in the request, from 0
     * @param message the message that a single event would get
     */
    public record Failure(int index, String message) {}
}

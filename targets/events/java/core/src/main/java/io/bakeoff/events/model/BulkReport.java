package io.bakeoff.events.model;

import java.util.List;

/**
 * The reply to a bulk of which at least one event was valid; its components are the members of the JSON reply.
 *
 * @param success nothing failed
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
     * @param message why, as a single event would have been told
     */
    public record Failure(int index, String message) {}
}

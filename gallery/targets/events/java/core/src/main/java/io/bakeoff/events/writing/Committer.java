package io.bakeoff.events.writing;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import io.bakeoff.events.writing.StorageException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** Stores batches with retries, and splits a rejected batch in halves, so that one bad event does not fail the others. */
final class Committer {
    private static final Logger log = LoggerFactory.getLogger(Committer.class);

    private final Storage storage;
    private final DatabaseRetry databaseRetry;

    Committer(Storage storage, DatabaseRetry databaseRetry) {
        this.storage = storage;
        this.databaseRetry = databaseRetry;
    }

    /** Stores events in this order. Returns the outcome of each; never fails. */
    Mono<List<Outcome>> commit(List<Event> events) {
        Rows rows = Rows.merge(events);
        log.debug("storing {} events in {} rows", events.size(), rows.entities().size());
        return databaseRetry
                .retry(storage.store(rows))
                .then(Mono.fromSupplier(() -> forAll(events, Stored.STORED)))
                .onErrorResume(error -> afterFailure(events, error));
    }

    private Mono<List<Outcome>> afterFailure(List<Event> events, Throwable error) {
        if (error instanceof StorageException failure && failure.reason() != Reason.REJECTED) {
            return Mono.just(forAll(events, Problem.UNAVAILABLE));
        }
        if (!(error instanceof StorageException) || events.size() == 1) {
            log.error("the database rejected an event", error);
            return Mono.just(forAll(events, Problem.INTERNAL));
        }
        // Left to right, to preserve the order of arrival.
        int half = events.size() / 2;
        return commit(events.subList(0, half))
                .flatMap(left -> commit(events.subList(half, events.size())).map(right -> concatenate(left, right)));
    }

    private static List<Outcome> forAll(List<Event> events, Outcome outcome) {
        return Collections.nCopies(events.size(), outcome);
    }

    private static List<Outcome> concatenate(List<Outcome> left, List<Outcome> right) {
        List<Outcome> all = new ArrayList<>(left);
        all.addAll(right);
        return all;
    }
}

package io.bakeoff.events.writing;

import io.bakeoff.events.model.BulkReply;
import io.bakeoff.events.model.BulkReport;
import io.bakeoff.events.model.BulkReport.Failure;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.settings.Settings;
import io.bakeoff.events.settings.WriteMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** The interface of the core for transports: stores events by the configured strategy. */
public final class EventWriter {
    private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(2);

    private final Storage storage;
    private final DatabaseRetry databaseRetry;
    private final WriteStrategy strategy;
    private final Scheduler clock;

    /** A writer that accepts events immediately. */
    public EventWriter(Storage storage, Settings settings, Scheduler clock) {
        this.storage = storage;
        this.databaseRetry = new DatabaseRetry(clock);
        this.clock = clock;
        Committer committer = new Committer(storage, databaseRetry);
        this.strategy = settings.writeMode() == WriteMode.GROUP_COMMIT
                ? new GroupCommit(committer, settings.flushers(), settings.queueEvents())
                : new PerRequest(committer, settings.queueEvents());
    }

    /** Retries an attempt while the database is unavailable, like a write. */
    public Mono<Void> retry(Mono<Void> attempt) {
        return databaseRetry.retry(attempt);
    }

    /** Stores an event and delivers its outcome once; immediately when the queue is full. */
    public void store(Event event, Acknowledgement acknowledgement) {
        if (!strategy.offer(event, acknowledgement)) {
            acknowledgement.give(Problem.OVERLOADED);
        }
    }

    /** Stores an event. Returns its outcome. */
    public Mono<Outcome> store(Event event) {
        return Mono.create(sink -> store(event, sink::success));
    }

    /** Accepts an event unless the queue is full. Returns whether it was accepted. */
    public boolean offer(Event event, Acknowledgement acknowledgement) {
        return strategy.offer(event, acknowledgement);
    }

    /** Runs {@code retry} once when an offer of this event may succeed: now or later. */
    public void whenCapacity(Event event, Runnable retry) {
        strategy.whenCapacity(event, retry);
    }

    /** Maximum number of events of one stream in flight. */
    public int streamWindow() {
        return strategy.streamWindow();
    }

    /** Stores the valid events of a bulk in order, each atomically. */
    public Mono<BulkReply> storeBulk(List<Decoded> bulk) {
        long started = System.nanoTime();
        List<Event> events = new ArrayList<>(bulk.size());
        for (Decoded decoded : bulk) {
            if (decoded instanceof Event event) {
                events.add(event);
            }
        }
        return strategy.storeAll(events)
                .map(outcomes -> reply(bulk, outcomes, started))
                .defaultIfEmpty(Problem.OVERLOADED);
    }

    /** Whether the database responds now. */
    public Mono<Boolean> isHealthy() {
        return storage.check().timeout(HEALTH_TIMEOUT, clock).thenReturn(true).onErrorReturn(false);
    }

    /** Completes when all accepted events have been answered. Call it when no requests are in flight. */
    public Mono<Void> drain() {
        return strategy.drain();
    }

    private static BulkReply reply(List<Decoded> bulk, List<Outcome> outcomes, long started) {
        if (outcomes.stream().allMatch(outcome -> outcome == Problem.UNAVAILABLE)) {
            return Problem.UNAVAILABLE;
        }
        List<Failure> failures = new ArrayList<>();
        Iterator<Outcome> stored = outcomes.iterator();
        for (int index = 0; index < bulk.size(); index++) {
            Object result = bulk.get(index) instanceof Problem problem ? problem : stored.next();
            if (result instanceof Problem problem) {
                failures.add(new Failure(index, problem.message()));
            }
        }
        int processed = bulk.size() - failures.size();
        return new BulkReport(
                failures.isEmpty(),
                processed + " of " + bulk.size() + " events processed",
                processed,
                failures.size(),
                UUID.randomUUID().toString(),
                (System.nanoTime() - started) / 1_000_000,
                failures);
    }
}

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

/** What transports call: stores events, by whichever strategy was chosen. */
public final class EventWriter {
    private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(2);

    private final Storage storage;
    private final Outage outage;
    private final WriteStrategy strategy;
    private final Scheduler clock;

    /** A writer that takes events at once. */
    public EventWriter(Storage storage, Settings settings, Scheduler clock) {
        this.storage = storage;
        this.outage = new Outage(clock);
        this.clock = clock;
        Committer committer = new Committer(storage, outage);
        this.strategy = settings.writeMode() == WriteMode.GROUP_COMMIT
                ? new GroupCommit(committer, settings.flushers(), settings.queueEvents())
                : new PerRequest(committer, settings.queueEvents());
    }

    /** Repeats an attempt while the database is away, for as long as a write would be. */
    public Mono<Void> rideOut(Mono<Void> attempt) {
        return outage.rideOut(attempt);
    }

    /** Stores an event; tells its outcome once, at once when there is no room. */
    public void store(Event event, Acknowledgement acknowledgement) {
        if (!strategy.offer(event, acknowledgement)) {
            acknowledgement.give(Problem.OVERLOADED);
        }
    }

    /** Stores an event; answers with its outcome. */
    public Mono<Outcome> store(Event event) {
        return Mono.create(sink -> store(event, sink::success));
    }

    /** Takes an event of a stream unless there is no room; whether it was taken. */
    public boolean offer(Event event, Acknowledgement acknowledgement) {
        return strategy.offer(event, acknowledgement);
    }

    /** Runs once an offer of this event may succeed: now or later. */
    public void whenRoom(Event event, Runnable retry) {
        strategy.whenRoom(event, retry);
    }

    /** How many events of one stream may be under way. */
    public int streamWindow() {
        return strategy.streamWindow();
    }

    /** Stores those events of a bulk that are valid, each all or none, in their order. */
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

    /** Whether the database answers now. */
    public Mono<Boolean> isHealthy() {
        return storage.check().timeout(HEALTH_TIMEOUT, clock).thenReturn(true).onErrorReturn(false);
    }

    /** Completes when all that was taken has been answered. To be called when no request is under way. */
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

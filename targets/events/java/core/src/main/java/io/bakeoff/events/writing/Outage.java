package io.bakeoff.events.writing;

import io.bakeoff.events.writing.StorageException.Reason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Patience with a database that is away.
 *
 * <p>The clock is shared: who comes after five seconds of outage is refused after one attempt, not after five seconds
 * of its own.
 */
final class Outage {
    /** How long writes are retried before clients are told that the database is away. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);
    private static final Logger log = LoggerFactory.getLogger(Outage.class);

    private final Scheduler clock;
    private final AtomicReference<Duration> since = new AtomicReference<>();

    Outage(Scheduler clock) {
        this.clock = clock;
    }

    /** Repeats an attempt until it does not fail for the database being away, or patience ends. */
    Mono<Void> rideOut(Mono<Void> attempt) {
        return rideOut(attempt, FIRST_PAUSE);
    }

    private Mono<Void> rideOut(Mono<Void> attempt, Duration pause) {
        return attempt.doOnSuccess(nothing -> end()).onErrorResume(StorageException.class, error -> {
            if (error.reason() == Reason.REFUSED) {
                end();
            }
            if (error.reason() != Reason.AWAY) {
                return Mono.error(error);
            }
            Duration left = PATIENCE.minus(now().minus(begin(error)));
            if (left.isNegative() || left.isZero()) {
                return Mono.error(error);
            }
            return Mono.delay(least(pause, left), clock)
                    .then(Mono.defer(() -> rideOut(attempt, least(pause.multipliedBy(2), LONGEST_PAUSE))));
        });
    }

    private Duration begin(StorageException error) {
        Duration now = now();
        Duration earlier = since.compareAndExchange(null, now);
        if (earlier == null) {
            log.warn("database away, retrying: {}", error.getMessage());
            return now;
        }
        return earlier;
    }

    private void end() {
        if (since.get() == null) {
            return;
        }
        Duration began = since.getAndSet(null);
        if (began != null) {
            log.info("database back after {} ms", now().minus(began).toMillis());
        }
    }

    private Duration now() {
        return Duration.ofNanos(clock.now(TimeUnit.NANOSECONDS));
    }

    private static Duration least(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}

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
 * Retries while the database is unavailable.
 *
 * <p>All writes share the time of failure: five seconds into an outage a new write fails after one attempt.
 */
final class DatabaseRetry {
    /** How long writes are retried before they fail. */
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final Duration FIRST_DELAY = Duration.ofMillis(10);
    private static final Duration LONGEST_DELAY = Duration.ofMillis(250);
    private static final Logger log = LoggerFactory.getLogger(DatabaseRetry.class);

    private final Scheduler clock;
    private final AtomicReference<Duration> since = new AtomicReference<>();

    DatabaseRetry(Scheduler clock) {
        this.clock = clock;
    }

    /** Repeats an attempt while the database is unavailable, until the timeout. */
    Mono<Void> retry(Mono<Void> attempt) {
        return retry(attempt, FIRST_DELAY);
    }

    private Mono<Void> retry(Mono<Void> attempt, Duration pause) {
        return attempt.doOnSuccess(nothing -> end()).onErrorResume(StorageException.class, error -> {
            if (error.reason() == Reason.REJECTED) {
                end();
            }
            if (error.reason() != Reason.UNAVAILABLE) {
                return Mono.error(error);
            }
            Duration left = TIMEOUT.minus(now().minus(begin(error)));
            if (left.isNegative() || left.isZero()) {
                return Mono.error(error);
            }
            return Mono.delay(least(pause, left), clock)
                    .then(Mono.defer(() -> retry(attempt, least(pause.multipliedBy(2), LONGEST_DELAY))));
        });
    }

    private Duration begin(StorageException error) {
        Duration now = now();
        Duration earlier = since.compareAndExchange(null, now);
        if (earlier == null) {
            log.warn("database unavailable, retrying: {}", error.getMessage());
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
            log.info("database available again after {} ms", now().minus(began).toMillis());
        }
    }

    private Duration now() {
        return Duration.ofNanos(clock.now(TimeUnit.NANOSECONDS));
    }

    private static Duration least(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }
}

package io.bakeoff.events.writing;

import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.writing.StorageException.Reason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

class DatabaseRetryTest {
    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final DatabaseRetry databaseRetry = new DatabaseRetry(clock);
    private final AtomicInteger attempts = new AtomicInteger();

    @Test
    void aShortOutageIsInvisible() {
        Duration back = Duration.ofSeconds(4);
        Mono<Void> attempt =
                Mono.defer(() -> clock.now(TimeUnit.MILLISECONDS) < back.toMillis() ? away() : Mono.empty());
        StepVerifier.withVirtualTime(() -> databaseRetry.retry(attempt), () -> clock, Long.MAX_VALUE)
                .expectSubscription()
                .expectNoEvent(back)
                .thenAwait(Duration.ofMillis(250))
                .verifyComplete();
    }

    @Test
    void retriesEndAfterFiveSecondsInTotal() {
        StepVerifier.withVirtualTime(() -> databaseRetry.retry(away()), () -> clock, Long.MAX_VALUE)
                .expectSubscription()
                .expectNoEvent(DatabaseRetry.TIMEOUT.minusMillis(1))
                .thenAwait(Duration.ofMillis(1))
                .verifyError(StorageException.class);

        StepVerifier.create(databaseRetry.retry(away())).verifyError(StorageException.class);
        assertThat(attempts).hasValueGreaterThan(20);
    }

    @Test
    void anyReplyEndsTheOutage() {
        for (Mono<Void> answer : java.util.List.of(Mono.<Void>empty(), failing(Reason.REJECTED))) {
            databaseRetry.retry(away()).onErrorComplete().subscribe();
            clock.advanceTimeBy(DatabaseRetry.TIMEOUT);
            databaseRetry.retry(answer).onErrorComplete().subscribe();

            attempts.set(0);
            databaseRetry.retry(away()).onErrorComplete().subscribe();
            clock.advanceTimeBy(DatabaseRetry.TIMEOUT);
            assertThat(attempts).as("timeout is whole again").hasValueGreaterThan(20);
        }
    }

    @Test
    void aTimeoutDoesNotEndTheOutage() {
        databaseRetry.retry(away()).onErrorComplete().subscribe();
        clock.advanceTimeBy(DatabaseRetry.TIMEOUT);
        databaseRetry.retry(failing(Reason.TIMED_OUT)).onErrorComplete().subscribe();

        attempts.set(0);
        StepVerifier.create(databaseRetry.retry(away())).verifyError(StorageException.class);
        assertThat(attempts).as("timeout is not renewed").hasValue(1);
    }

    private Mono<Void> away() {
        return Mono.defer(() -> {
            attempts.incrementAndGet();
            return failing(Reason.UNAVAILABLE);
        });
    }

    private static Mono<Void> failing(Reason reason) {
        return Mono.error(new StorageException(reason, new IllegalStateException("planted")));
    }
}

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

class OutageTest {
    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final Outage outage = new Outage(clock);
    private final AtomicInteger attempts = new AtomicInteger();

    @Test
    void anOutageThatEndsInTimeIsNotNoticed() {
        Duration back = Duration.ofSeconds(4);
        Mono<Void> attempt =
                Mono.defer(() -> clock.now(TimeUnit.MILLISECONDS) < back.toMillis() ? away() : Mono.empty());
        StepVerifier.withVirtualTime(() -> outage.rideOut(attempt), () -> clock, Long.MAX_VALUE)
                .expectSubscription()
                .expectNoEvent(back)
                .thenAwait(Duration.ofMillis(250))
                .verifyComplete();
    }

    @Test
    void patienceEndsAfterFiveSecondsAndIsNotRenewed() {
        StepVerifier.withVirtualTime(() -> outage.rideOut(away()), () -> clock, Long.MAX_VALUE)
                .expectSubscription()
                .expectNoEvent(Outage.PATIENCE.minusMillis(1))
                .thenAwait(Duration.ofMillis(1))
                .verifyError(StorageException.class);

        StepVerifier.create(outage.rideOut(away())).verifyError(StorageException.class);
        assertThat(attempts).hasValueGreaterThan(20);
    }

    @Test
    void anAnswerOfAnyKindEndsTheOutage() {
        for (Mono<Void> answer : java.util.List.of(Mono.<Void>empty(), failing(Reason.REFUSED))) {
            outage.rideOut(away()).onErrorComplete().subscribe();
            clock.advanceTimeBy(Outage.PATIENCE);
            outage.rideOut(answer).onErrorComplete().subscribe();

            attempts.set(0);
            outage.rideOut(away()).onErrorComplete().subscribe();
            clock.advanceTimeBy(Outage.PATIENCE);
            assertThat(attempts).as("patience is whole again").hasValueGreaterThan(20);
        }
    }

    @Test
    void silenceIsNoAnswer() {
        outage.rideOut(away()).onErrorComplete().subscribe();
        clock.advanceTimeBy(Outage.PATIENCE);
        outage.rideOut(failing(Reason.TOO_SLOW)).onErrorComplete().subscribe();

        attempts.set(0);
        StepVerifier.create(outage.rideOut(away())).verifyError(StorageException.class);
        assertThat(attempts).as("patience is not renewed").hasValue(1);
    }

    private Mono<Void> away() {
        return Mono.defer(() -> {
            attempts.incrementAndGet();
            return failing(Reason.AWAY);
        });
    }

    private static Mono<Void> failing(Reason reason) {
        return Mono.error(new StorageException(reason, new IllegalStateException("planted")));
    }
}

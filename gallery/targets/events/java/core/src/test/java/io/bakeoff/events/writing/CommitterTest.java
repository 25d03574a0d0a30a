package io.bakeoff.events.writing;

import static io.bakeoff.events.writing.Events.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

class CommitterTest {
    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final FakeStorage storage = new FakeStorage();
    private final Committer committer = new Committer(storage, new DatabaseRetry(clock));

    private static final List<Event> EVENTS =
            List.of(event("1={}"), event("2={}"), event("bad={}"), event("3={}"), event("1={\"a\":1}"));

    @Test
    void aBatchIsOneStatement() {
        assertThat(committer.commit(EVENTS).block()).containsOnly(Stored.STORED).hasSize(5);
        assertThat(storage.stored()).containsExactly(List.of("Car/1={\"a\":1}", "Car/2={}", "Car/3={}", "Car/bad={}"));
    }

    @Test
    void aRejectedBatchIsSplitUntilTheBadEventIsAlone() {
        storage.refuse("bad");
        List<Outcome> outcomes = committer.commit(EVENTS).block();
        assertThat(outcomes)
                .containsExactly(Stored.STORED, Stored.STORED, Problem.INTERNAL, Stored.STORED, Stored.STORED);
        assertThat(storage.stored().stream().flatMap(List::stream))
                .as("the order of arrival holds")
                .containsExactly("Car/1={}", "Car/2={}", "Car/1={\"a\":1}", "Car/3={}");
    }

    @Test
    void anUnavailableDatabaseFailsABatchAfterTheTimeoutWithoutSplitting() {
        storage.leave();
        var outcomes = committer.commit(EVENTS).toFuture();
        clock.advanceTimeBy(DatabaseRetry.TIMEOUT.minusMillis(1));
        assertThat(outcomes).isNotDone();
        clock.advanceTimeBy(java.time.Duration.ofMillis(1));
        assertThat(outcomes).isCompletedWithValueMatching(all -> all.stream().allMatch(Problem.UNAVAILABLE::equals));
    }

    @Test
    void nothingIsLostAfterAnOutage() {
        storage.leave();
        var outcomes = committer.commit(EVENTS).toFuture();
        clock.advanceTimeBy(java.time.Duration.ofSeconds(3));
        storage.comeBack();
        clock.advanceTimeBy(java.time.Duration.ofSeconds(1));
        assertThat(outcomes).isCompletedWithValueMatching(all -> all.stream().allMatch(Stored.STORED::equals));
    }
}

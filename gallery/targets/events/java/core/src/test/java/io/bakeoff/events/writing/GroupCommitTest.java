package io.bakeoff.events.writing;

import static io.bakeoff.events.writing.Events.event;
import static io.bakeoff.events.writing.Events.halfOfTheRoom;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

class GroupCommitTest {
    private static final int BOUND = 10;

    private final FakeStorage storage = new FakeStorage();
    private final List<Outcome> outcomes = new ArrayList<>();

    @BeforeEach
    void holdStatements() {
        storage.hold();
    }

    @Test
    void aSingleEventIsStoredImmediatelyAndAcknowledgedAfterItsCommit() {
        GroupCommit group = group(1);
        assertThat(group.offer(event("1={}"), outcomes::add)).isTrue();
        assertThat(storage.held()).isEqualTo(1);
        assertThat(outcomes).isEmpty();
        storage.release();
        assertThat(outcomes).containsExactly(Stored.STORED);
    }

    @Test
    void eventsThatArriveDuringACommitAreTheNextBatch() {
        GroupCommit group = group(1);
        offer(group, "1", "2", "3", "2");
        assertThat(storage.held()).isEqualTo(1);
        storage.release();
        assertThat(storage.held()).isEqualTo(1);
        storage.release();
        assertThat(storage.stored()).containsExactly(List.of("Car/1={}"), List.of("Car/2={}", "Car/3={}"));
        assertThat(outcomes).hasSize(4);
    }

    @Test
    void anEventWaitsForABatchInFlightWithTheSameEntity() {
        GroupCommit group = group(2);
        offer(group, "1");
        group.offer(event("2={}", "1={\"a\":1}"), outcomes::add);
        offer(group, "3");
        assertThat(storage.held()).as("3 stands behind the event that waits").isEqualTo(1);
        storage.release();
        assertThat(storage.held()).isEqualTo(1);
        storage.release();
        assertThat(storage.stored())
                .containsExactly(List.of("Car/1={}"), List.of("Car/1={\"a\":1}", "Car/2={}", "Car/3={}"));
    }

    @Test
    void otherEntitiesAreStoredConcurrently() {
        GroupCommit group = group(2);
        offer(group, "1", "2", "3");
        assertThat(storage.held()).isEqualTo(2);
        storage.release();
        storage.release();
        storage.release();
        assertThat(storage.stored()).containsExactly(List.of("Car/1={}"), List.of("Car/2={}"), List.of("Car/3={}"));
    }

    @Test
    void aBatchEndsAtItsCapsAndAnEventIsNeverSplit() {
        GroupCommit group = group(1);
        offer(group, "first");
        group.offer(rows(0, 600), outcomes::add);
        group.offer(rows(600, 600), outcomes::add);
        storage.release();
        storage.release();
        storage.release();
        assertThat(storage.stored()).extracting(List::size).containsExactly(1, 600, 600);
    }

    @Test
    void aFullQueueRejectsAndAnEmptyOneAcceptsAnything() {
        GroupCommit group = group(1);
        offer(group, "first");
        offer(group, IntStream.range(0, BOUND).mapToObj(Integer::toString).toArray(String[]::new));
        assertThat(group.offer(event("more={}"), outcomes::add)).isFalse();
        assertThat(group.storeAll(List.of(event("more={}"))).blockOptional()).isEmpty();
        storage.release();
        List<Event> bulk =
                IntStream.range(0, BOUND + 1).mapToObj(id -> event(id + "={}")).toList();
        var stored = group.storeAll(bulk).toFuture();
        storage.release();
        storage.release();
        assertThat(stored).isCompletedWithValueMatching(all -> all.size() == BOUND + 1);
    }

    @Test
    void theQueueIsBoundedInBytesToo() {
        GroupCommit group = group(1);
        offer(group, "first");
        assertThat(group.offer(halfOfTheRoom("1"), outcomes::add)).isTrue();
        assertThat(group.offer(halfOfTheRoom("2"), outcomes::add)).isTrue();
        assertThat(group.offer(halfOfTheRoom("3"), outcomes::add)).isFalse();
        assertThat(group.storeAll(List.of(halfOfTheRoom("3"))).blockOptional()).isEmpty();
        AtomicInteger calls = new AtomicInteger();
        group.whenCapacity(halfOfTheRoom("3"), calls::incrementAndGet);
        assertThat(calls).hasValue(0);

        storage.release();
        assertThat(calls).hasValue(1);
        assertThat(group.offer(halfOfTheRoom("3"), outcomes::add)).isTrue();
    }

    @Test
    void smallEntitiesCountTowardsTheMemoryBound() {
        GroupCommit group = new GroupCommit(committer(Schedulers.immediate()), 1, Integer.MAX_VALUE);
        offer(group, "first");
        Event many = rows(0, 1_000);
        long fitting = Capacity.BYTES / (1_000 * 100);
        long accepted = Stream.generate(() -> many)
                .limit(fitting)
                .takeWhile(event -> group.offer(event, outcomes::add))
                .count();
        assertThat(accepted).as("as if each took a hundred bytes").isPositive().isLessThan(fitting);
    }

    /** Two flushers, so two statements are in flight and three batches wait. */
    @Test
    void allWaitersShareTheTimeoutOfAHangingDatabase() {
        VirtualTimeScheduler clock = VirtualTimeScheduler.create();
        Duration limit = Duration.ofSeconds(10);
        storage.hang(limit, clock);
        GroupCommit group = new GroupCommit(committer(clock), 2, BOUND);
        for (int batch = 0; batch < 5; batch++) {
            assertThat(group.offer(rows(600 * batch, 600), outcomes::add)).isTrue();
        }
        clock.advanceTimeBy(limit.minusMillis(1));
        assertThat(outcomes).isEmpty();
        clock.advanceTimeBy(Duration.ofMillis(1));
        assertThat(outcomes).hasSize(5).containsOnly(Problem.UNAVAILABLE);
        assertThat(group.drain().toFuture()).isCompleted();

        storage.comeBack();
        offer(group, "1");
        assertThat(outcomes).last().isEqualTo(Stored.STORED);
    }

    @Test
    void waitersAreNotifiedWhenQueuedEventsFail() {
        VirtualTimeScheduler clock = VirtualTimeScheduler.create();
        storage.leave();
        GroupCommit group = new GroupCommit(committer(clock), 1, 1);
        offer(group, "1", "2");
        AtomicInteger calls = new AtomicInteger();
        group.whenCapacity(event("3={}"), calls::incrementAndGet);
        assertThat(calls).hasValue(0);
        clock.advanceTimeBy(DatabaseRetry.TIMEOUT);
        assertThat(outcomes).containsExactly(Problem.UNAVAILABLE, Problem.UNAVAILABLE);
        assertThat(calls).hasValue(1);
    }

    @Test
    void waitersAreNotifiedWhenThereIsCapacity() {
        GroupCommit group = group(1);
        offer(group, "first");
        offer(group, IntStream.range(0, BOUND).mapToObj(Integer::toString).toArray(String[]::new));
        AtomicInteger calls = new AtomicInteger();
        group.whenCapacity(event("more={}"), calls::incrementAndGet);
        assertThat(calls).hasValue(0);
        storage.release();
        assertThat(calls).hasValue(1);
        group.whenCapacity(event("more={}"), calls::incrementAndGet);
        assertThat(calls).hasValue(2);
    }

    @Test
    void draining() {
        GroupCommit group = group(2);
        assertThat(group(1).drain().toFuture()).as("nothing to wait for").isCompleted();
        offer(group, "1", "1", "1");
        var drained = group.drain().toFuture();
        storage.release();
        assertThat(drained).isNotDone();
        storage.release();
        assertThat(drained).isCompleted();
        assertThat(outcomes).hasSize(3);
    }

    @Test
    void aFailedAcknowledgementDoesNotAffectOthers() {
        GroupCommit group = group(1);
        offer(group, "1");
        group.offer(event("2={}"), outcome -> {
            throw new IllegalStateException("planted");
        });
        offer(group, "3");
        storage.release();
        storage.release();
        assertThat(outcomes).containsExactly(Stored.STORED, Stored.STORED);
        assertThat(outcomes).doesNotContain(Problem.INTERNAL);
    }

    private GroupCommit group(int flushers) {
        return new GroupCommit(committer(Schedulers.immediate()), flushers, BOUND);
    }

    private Committer committer(Scheduler clock) {
        return new Committer(storage, new DatabaseRetry(clock));
    }

    private void offer(GroupCommit group, String... ids) {
        for (String id : ids) {
            assertThat(group.offer(event(id + "={}"), outcomes::add)).isTrue();
        }
    }

    private static Event rows(int from, int count) {
        return event(
                IntStream.range(from, from + count).mapToObj(id -> id + "={}").toArray(String[]::new));
    }
}

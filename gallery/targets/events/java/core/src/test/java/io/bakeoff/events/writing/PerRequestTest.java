package io.bakeoff.events.writing;

import static io.bakeoff.events.writing.Events.event;
import static io.bakeoff.events.writing.Events.halfOfTheRoom;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Outcome;
import io.bakeoff.events.model.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Schedulers;

class PerRequestTest {
    private final FakeStorage storage = new FakeStorage();
    private final PerRequest requests = requests(2);
    private final List<Outcome> outcomes = new ArrayList<>();

    @Test
    void eachRequestIsAStatementOfItsOwn() {
        requests.offer(event("1={}"), outcomes::add);
        requests.offer(event("1={}"), outcomes::add);
        requests.storeAll(List.of(event("2={}"), event("3={}"))).block();
        assertThat(storage.stored())
                .containsExactly(List.of("Car/1={}"), List.of("Car/1={}"), List.of("Car/2={}", "Car/3={}"));
        assertThat(outcomes).containsExactly(Stored.STORED, Stored.STORED);
    }

    @Test
    void requestsInFlightAreBounded() {
        storage.hold();
        assertThat(requests.offer(event("1={}"), outcomes::add)).isTrue();
        assertThat(requests.offer(event("2={}"), outcomes::add)).isTrue();
        assertThat(requests.offer(event("3={}"), outcomes::add)).isFalse();
        assertThat(requests.storeAll(List.of(event("3={}"))).blockOptional()).isEmpty();

        AtomicInteger calls = new AtomicInteger();
        requests.whenCapacity(event("3={}"), calls::incrementAndGet);
        assertThat(calls).hasValue(0);
        storage.release();
        assertThat(calls).hasValue(1);
        assertThat(requests.offer(event("3={}"), outcomes::add)).isTrue();
    }

    @Test
    void requestsInFlightAreBoundedInBytesToo() {
        PerRequest many = requests(100);
        storage.hold();
        assertThat(many.offer(halfOfTheRoom("1"), outcomes::add)).isTrue();
        assertThat(many.offer(halfOfTheRoom("2"), outcomes::add)).isTrue();
        assertThat(many.offer(halfOfTheRoom("3"), outcomes::add)).isFalse();
        assertThat(many.storeAll(List.of(halfOfTheRoom("3"))).blockOptional()).isEmpty();
        AtomicInteger calls = new AtomicInteger();
        many.whenCapacity(halfOfTheRoom("3"), calls::incrementAndGet);
        assertThat(calls).hasValue(0);

        storage.release();
        assertThat(calls).hasValue(1);
        assertThat(many.offer(halfOfTheRoom("3"), outcomes::add)).isTrue();
    }

    @Test
    void aSingleRequestMayExceedTheBound() {
        List<Event> bulk = List.of(halfOfTheRoom("1"), halfOfTheRoom("2"), halfOfTheRoom("3"));
        assertThat(requests.storeAll(bulk).block()).containsOnly(Stored.STORED);
    }

    @Test
    void draining() {
        storage.hold();
        requests.offer(event("1={}"), outcomes::add);
        var drained = requests.drain().toFuture();
        assertThat(drained).isNotDone();
        storage.release();
        assertThat(drained).isCompleted();
    }

    private PerRequest requests(int bound) {
        return new PerRequest(new Committer(storage, new DatabaseRetry(Schedulers.immediate())), bound);
    }
}

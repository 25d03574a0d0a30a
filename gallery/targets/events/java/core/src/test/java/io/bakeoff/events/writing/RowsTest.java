package io.bakeoff.events.writing;

import static io.bakeoff.events.writing.Events.entity;
import static io.bakeoff.events.writing.Events.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowsTest {
    @Test
    void rowsAreSortedByTypeThenId() {
        assertThat(merged(
                        of(entity("b", "1", "{}"), entity("a", "2", "{}")),
                        of(entity("a", "10", "{}")),
                        of(entity("a", "1b", "{}"), entity("", "ab", "{}"), entity("ä", "1", "{}"))))
                .containsExactly("/ab={}", "a/10={}", "a/1b={}", "a/2={}", "b/1={}", "ä/1={}");
    }

    @Test
    void aKeyIsAPairNotAText() {
        assertThat(merged(of(entity("ab", "c", "{\"x\":1}")), of(entity("a", "bc", "{\"x\":2}"))))
                .containsExactly("a/bc={\"x\":2}", "ab/c={\"x\":1}");
    }

    @Test
    void updatesOfAnEntityAreMergedInTheOrderOfArrival() {
        assertThat(merged(
                        event("1={\"a\":1}", "2={}", "1={\"b\":2}"),
                        event("0={\"z\":0}"),
                        event("1={ }"),
                        event("1={ \"a\" : 3 }", "2={\"c\":4}"),
                        event("3={}", "3={\n}")))
                .containsExactly(
                        "Car/0={\"z\":0}", "Car/1={\"a\":1,\"b\":2,\"a\" : 3 }", "Car/2={\"c\":4}", "Car/3={}");
    }

    private static Event of(Entity... entities) {
        return new Event(List.of(entities));
    }

    private static List<String> merged(Event... events) {
        return Rows.merge(List.of(events)).entities().stream()
                .map(FakeStorage::text)
                .toList();
    }
}

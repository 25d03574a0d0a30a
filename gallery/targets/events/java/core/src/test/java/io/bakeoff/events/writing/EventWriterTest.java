package io.bakeoff.events.writing;

import static io.bakeoff.events.writing.Events.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.bakeoff.events.model.BulkReport;
import io.bakeoff.events.model.BulkReport.Failure;
import io.bakeoff.events.model.Decoded;
import io.bakeoff.events.model.Problem;
import io.bakeoff.events.model.Stored;
import io.bakeoff.events.settings.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.scheduler.VirtualTimeScheduler;

class EventWriterTest {
    private static final List<Decoded> BULK =
            List.of(Problem.invalid("eventHeader: required"), event("1={}"), event("2={}"));

    private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    private final FakeStorage storage = new FakeStorage();

    @ParameterizedTest
    @ValueSource(strings = {"group-commit", "per-request"})
    void anEventIsStored(String mode) {
        assertThat(writer(mode).store(event("1={}")).block()).isEqualTo(Stored.STORED);
        assertThat(storage.stored()).containsExactly(List.of("Car/1={}"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"group-commit", "per-request"})
    void aFullQueueRejectsAnEvent(String mode) {
        storage.hold();
        EventWriter writer = writer(mode);
        for (int accepted = 0; writer.offer(event("1={}"), outcome -> {}); accepted++) {
            assertThat(accepted).as("a bound").isLessThan(10);
        }
        assertThat(writer.store(event("1={}")).block()).isEqualTo(Problem.OVERLOADED);
        assertThat(writer.storeBulk(BULK).block()).isEqualTo(Problem.OVERLOADED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"group-commit", "per-request"})
    void aBulkReportsEachEvent(String mode) {
        storage.refuse("2");
        BulkReport report = (BulkReport) writer(mode).storeBulk(BULK).block();
        assertThat(report)
                .usingRecursiveComparison()
                .ignoringFields("batchId", "processingTimeMs")
                .isEqualTo(new BulkReport(
                        false,
                        "1 of 3 events processed",
                        1,
                        2,
                        "",
                        0,
                        List.of(new Failure(0, "eventHeader: required"), new Failure(2, "internal error"))));
        assertThat(report.batchId()).matches("[0-9a-f-]{36}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"group-commit", "per-request"})
    void aBulkFailsAsAWholeWhileTheDatabaseIsUnavailable(String mode) {
        storage.leave();
        var reply = writer(mode).storeBulk(BULK).toFuture();
        clock.advanceTimeBy(DatabaseRetry.TIMEOUT);
        assertThat(reply).isCompletedWithValue(Problem.UNAVAILABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"group-commit", "per-request"})
    void healthIsThatOfTheDatabase(String mode) {
        EventWriter writer = writer(mode);
        assertThat(writer.isHealthy().block()).isTrue();
        storage.leave();
        assertThat(writer.isHealthy().block()).isFalse();
        storage.hold();
        var unanswered = writer.isHealthy().toFuture();
        clock.advanceTimeBy(java.time.Duration.ofSeconds(3));
        assertThat(unanswered).isCompletedWithValue(false);
    }

    private EventWriter writer(String mode) {
        Map<String, String> values = Map.of("WRITE_MODE", mode, "QUEUE_EVENTS", "3");
        return new EventWriter(storage, Settings.read(values::get), clock);
    }
}

package io.bakeoff.events.writing;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.writing.StorageException.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/** An in-memory database that replies immediately, rejects, is unavailable, or waits until it is released. */
public final class FakeStorage implements Storage {
    private final List<List<String>> stored = new CopyOnWriteArrayList<>();
    private final Queue<Sinks.Empty<Void>> held = new ConcurrentLinkedQueue<>();
    private Function<Rows, Mono<Void>> answer = rows -> Mono.empty();

    /** The rows that each statement stored, as {@code type/id=document}. */
    public List<List<String>> stored() {
        return stored;
    }

    /** Number of statements that wait to be released. */
    public int held() {
        return held.size();
    }

    /** Makes statements wait. */
    public void hold() {
        answer = rows -> {
            Sinks.Empty<Void> gate = Sinks.empty();
            held.add(gate);
            return gate.asMono();
        };
    }

    /** Releases the statement that has waited longest. */
    public void release() {
        held.remove().tryEmitEmpty();
    }

    /** Makes statements with a row of this id fail. */
    public void refuse(String id) {
        answer = rows ->
                rows.entities().stream().anyMatch(row -> row.key().toString().endsWith("/" + id))
                        ? Mono.error(new StorageException(Reason.REJECTED, new IllegalStateException("planted")))
                        : Mono.empty();
    }

    /** Makes the database unavailable. */
    public void leave() {
        answer = rows ->
                Mono.error(new StorageException(Reason.UNAVAILABLE, new IllegalStateException("connection refused")));
    }

    /** Makes each statement time out after a delay. */
    public void hang(Duration limit, Scheduler clock) {
        answer = rows -> Mono.delay(limit, clock)
                .then(Mono.error(new StorageException(Reason.TIMED_OUT, new TimeoutException("silence"))));
    }

    /** Makes statements complete immediately. */
    public void comeBack() {
        answer = rows -> Mono.empty();
    }

    @Override
    public Mono<Void> prepare() {
        return Mono.empty();
    }

    @Override
    public Mono<Void> store(Rows rows) {
        return Mono.defer(() -> answer.apply(rows))
                .doOnSuccess(nothing -> stored.add(
                        rows.entities().stream().map(FakeStorage::text).toList()));
    }

    @Override
    public Mono<Void> check() {
        return Mono.defer(() -> answer.apply(new Rows(List.of())));
    }

    static String text(Entity entity) {
        return entity.key() + "=" + new String(entity.attributes(), StandardCharsets.UTF_8);
    }
}

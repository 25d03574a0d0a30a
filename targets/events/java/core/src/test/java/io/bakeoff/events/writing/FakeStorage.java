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

/** A database in memory that answers at once, refuses, is away, or waits until it is told to go on. */
public final class FakeStorage implements Storage {
    private final List<List<String>> stored = new CopyOnWriteArrayList<>();
    private final Queue<Sinks.Empty<Void>> held = new ConcurrentLinkedQueue<>();
    private Function<Rows, Mono<Void>> answer = rows -> Mono.empty();

    /** What each statement stored, as {@code type/id=document}. */
    public List<List<String>> stored() {
        return stored;
    }

    /** How many statements wait to be released. */
    public int held() {
        return held.size();
    }

    /** From now on statements wait. */
    public void hold() {
        answer = rows -> {
            Sinks.Empty<Void> gate = Sinks.empty();
            held.add(gate);
            return gate.asMono();
        };
    }

    /** The statement that has waited longest goes on. */
    public void release() {
        held.remove().tryEmitEmpty();
    }

    /** From now on statements with a row of this id are refused. */
    public void refuse(String id) {
        answer = rows ->
                rows.entities().stream().anyMatch(row -> row.key().toString().endsWith("/" + id))
                        ? Mono.error(new StorageException(Reason.REFUSED, new IllegalStateException("planted")))
                        : Mono.empty();
    }

    /** From now on the database is away. */
    public void leave() {
        answer = rows -> Mono.error(new StorageException(Reason.AWAY, new IllegalStateException("connection refused")));
    }

    /** From now on the database is silent, until after so long each statement is given up. */
    public void hang(Duration limit, Scheduler clock) {
        answer = rows -> Mono.delay(limit, clock)
                .then(Mono.error(new StorageException(Reason.TOO_SLOW, new TimeoutException("silence"))));
    }

    /** From now on statements are answered at once. */
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

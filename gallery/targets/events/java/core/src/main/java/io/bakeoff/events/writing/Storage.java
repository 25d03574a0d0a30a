package io.bakeoff.events.writing;

import reactor.core.publisher.Mono;

/** The interface between write strategies and the database; tests use a fake. */
public interface Storage {
    /** Creates the table if it does not exist; fails with a {@link StorageException}. */
    Mono<Void> prepare();

    /** Stores all rows or none, durably on completion; fails with a {@link StorageException}. */
    Mono<Void> store(Rows rows);

    /** Completes when the database responds; fails with a {@link StorageException}. */
    Mono<Void> check();
}

package io.bakeoff.events.writing;

import reactor.core.publisher.Mono;

/** Where rows go: the seam between write strategies and the database. Tests put a fake here. */
public interface Storage {
    /** Makes the table if there is none; fails with a {@link StorageException}. */
    Mono<Void> prepare();

    /** Stores all rows or none, durably when it completes; fails with a {@link StorageException}. */
    Mono<Void> store(Rows rows);

    /** Completes when the database answers now; fails with a {@link StorageException}. */
    Mono<Void> check();
}

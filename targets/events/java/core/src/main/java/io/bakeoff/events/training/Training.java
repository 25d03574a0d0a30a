package io.bakeoff.events.training;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.CommandLineRunner;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A run of the application that only teaches the JVM: it calls itself for a while and ends, and the JVM keeps what it
 * has learnt, classes and profiles, in a cache from which later runs start. Part of the build, where there is no
 * database: {@link PretendPostgres} stands in.
 */
public final class Training implements CommandLineRunner {
    /** The Spring profile of such a run. */
    public static final String PROFILE = "training";

    private static final int CALLS = 30_000;
    private static final int CONCURRENCY = 64;
    private static final int BULKS = 200;
    private static final int BULK_EVENTS = 500;
    private static final int BULK_CONCURRENCY = 16;

    /** The API that is to be trained, as a client calls it. */
    public interface Client {
        /** Sends one event. */
        Mono<Void> send(UUID event);

        /** Sends a bulk of events. */
        Mono<Void> sendBulk(List<UUID> events);
    }

    private final Client client;
    private final ConfigurableApplicationContext context;

    /** A run that ends when the client has been used enough. */
    public Training(Client client, ConfigurableApplicationContext context) {
        this.client = client;
        this.context = context;
    }

    @Override
    public void run(String... arguments) {
        Flux.range(0, CALLS)
                .flatMap(call -> client.send(UUID.randomUUID()), CONCURRENCY)
                .blockLast();
        Flux.range(0, BULKS)
                .flatMap(call -> client.sendBulk(events()), BULK_CONCURRENCY)
                .blockLast();
        // Not by a signal, and not halted: the cache is written in an orderly end.
        context.close();
    }

    private static List<UUID> events() {
        return Stream.generate(UUID::randomUUID).limit(BULK_EVENTS).toList();
    }
}

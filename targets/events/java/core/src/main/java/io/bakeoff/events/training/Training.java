package io.bakeoff.events.training;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.boot.CommandLineRunner;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A training run: the application calls itself for a while and exits, and the JVM stores classes and profiles in a cache
 * for later runs. Part of the build, where there is no database: {@link FakePostgres} replaces it.
 */
public final class Training implements CommandLineRunner {
    /** The Spring profile of such a run. */
    public static final String PROFILE = "training";

    private static final int CALLS = 30_000;
    private static final int CONCURRENCY = 64;
    private static final int BULKS = 200;
    private static final int BULK_EVENTS = 500;
    private static final int BULK_CONCURRENCY = 16;

    /** The API, as a client calls it. */
    public interface Client {
        /** Sends one event. */
        Mono<Void> send(UUID event);

        /** Sends a bulk of events. */
        Mono<Void> sendBulk(List<UUID> events);
    }

    private final Client client;
    private final ConfigurableApplicationContext context;

    /** A run that ends after a fixed number of calls. */
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
        // Neither a signal nor a halt: the cache is written on an orderly exit.
        context.close();
    }

    private static List<UUID> events() {
        return Stream.generate(UUID::randomUUID).limit(BULK_EVENTS).toList();
    }
}

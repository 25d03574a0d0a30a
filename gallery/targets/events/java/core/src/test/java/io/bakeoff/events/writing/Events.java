package io.bakeoff.events.writing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import java.util.Arrays;

/** Builds events for tests. */
public final class Events {
    private Events() {}

    /** An event with car updates of the form {@code id=document}. */
    public static Event event(String... updates) {
        return new Event(Arrays.stream(updates)
                .map(update -> update.split("=", 2))
                .map(update -> entity("Car", update[0], update[1]))
                .toList());
    }

    /** An event of one car that is so large that the queue accepts two of them and no third. */
    public static Event halfOfTheRoom(String id) {
        return event(id + "={\"text\":\"" + "x".repeat(Capacity.BYTES / 2 - 1_000) + "\"}");
    }

    static Entity entity(String type, String id, String document) {
        return new Entity(Key.of(type, id), document.getBytes(UTF_8));
    }
}

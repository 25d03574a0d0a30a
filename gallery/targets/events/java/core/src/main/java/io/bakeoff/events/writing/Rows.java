package io.bakeoff.events.writing;

import io.bakeoff.events.model.Entity;
import io.bakeoff.events.model.Event;
import io.bakeoff.events.model.Key;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The rows of one statement: the updates of a batch of events, merged and sorted.
 *
 * @param entities sorted by unique key, as {@code upsert.sql} requires
 */
public record Rows(List<Entity> entities) {
    private static final Comparator<Entity> BY_KEY = Comparator.comparing(Entity::key);

    /** Merges events in this order. */
    public static Rows merge(List<Event> events) {
        if (events.size() == 1 && events.get(0).entities().size() == 1) {
            return new Rows(events.get(0).entities());
        }
        List<Entity> updates = new ArrayList<>(events.size());
        events.forEach(event -> updates.addAll(event.entities()));
        // Stable: updates of one entity keep their order.
        updates.sort(BY_KEY);
        return new Rows(mergeSorted(updates));
    }

    private static List<Entity> mergeSorted(List<Entity> updates) {
        List<Entity> rows = new ArrayList<>(updates.size());
        int start = 0;
        while (start < updates.size()) {
            int end = endOfKey(updates, start);
            rows.add(end - start == 1 ? updates.get(start) : mergeObjects(updates.subList(start, end)));
            start = end;
        }
        return rows;
    }

    private static int endOfKey(List<Entity> updates, int start) {
        Key key = updates.get(start).key();
        int end = start + 1;
        while (end < updates.size() && updates.get(end).key().equals(key)) {
            end++;
        }
        return end;
    }

    /**
     * Concatenates the members of all objects. PostgreSQL keeps the last of duplicate members, so the result equals
     * merging one object after another.
     */
    private static Entity mergeObjects(List<Entity> updates) {
        int size =
                updates.stream().mapToInt(update -> update.attributes().length).sum();
        byte[] object = new byte[size];
        int length = 0;
        object[length++] = '{';
        for (Entity update : updates) {
            byte[] attributes = update.attributes();
            int start = firstMember(attributes);
            int members = attributes.length - 1 - start;
            if (members > 0) {
                if (length > 1) {
                    object[length++] = ',';
                }
                System.arraycopy(attributes, start, object, length, members);
                length += members;
            }
        }
        object[length++] = '}';
        return new Entity(updates.get(0).key(), java.util.Arrays.copyOf(object, length));
    }

    /** Position of the first member, or of the closing brace. */
    private static int firstMember(byte[] object) {
        int position = 1;
        while (object[position] <= ' ') {
            position++;
        }
        return position;
    }
}

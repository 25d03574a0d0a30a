package io.bakeoff.orders;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Version;
import org.springframework.data.relational.core.mapping.Table;

/** An order as it is stored, and as replies show it. Spring Data gives a new one the version 1, and counts on. */
@Table("orders")
record Order(
        @Id Long id,
        long customerId,
        String status,
        long totalCents,
        @Version int version,
        Instant createdAt) {
    static Order of(long customerId, long totalCents) {
        // PostgreSQL stores microseconds.
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        return new Order(null, customerId, "new", totalCents, 0, now);
    }

    Order withStatus(String changed) {
        return new Order(id, customerId, changed, totalCents, version, createdAt);
    }
}

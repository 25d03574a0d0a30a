package io.bakeoff.orders;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import java.util.Map;

/** The bodies of requests and replies. */
final class Messages {
    static final String STATUS = "new|paid|shipped|cancelled";

    private Messages() {}

    record NewOrder(
            @NotNull Long customerId,
            @NotNull @Size(min = 1, max = 20) List<@NotNull @Valid Line> lines) {
        long totalCents() {
            return lines.stream()
                    .mapToLong(line -> (long) line.quantity() * line.unitPriceCents())
                    .sum();
        }
    }

    record Line(
            @NotNull @Pattern(regexp = "[A-Z0-9-]{1,40}") String sku,
            @NotNull @Min(1) @Max(1_000) Integer quantity,
            @NotNull @Min(0) @Max(10_000_000) Integer unitPriceCents) {
        static Line of(OrderLine stored) {
            return new Line(stored.sku(), stored.quantity(), stored.unitPriceCents());
        }
    }

    record StatusChange(
            @NotNull @Pattern(regexp = STATUS) String status,
            @NotNull Long version) {}

    record OrderWithLines(@JsonUnwrapped Order order, List<Line> lines) {}

    record Page(List<Order> items, Long nextAfter) {}

    record Summary(long customerId, String name, long orderCount, long totalCents, Map<String, Long> byStatus) {}
}

package io.bakeoff.orders;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** The bodies of requests and replies. */
final class Messages {
    static final String STATUS = "new|paid|shipped|cancelled";

    private Messages() {}

    record NewOrder(
            @NotNull Long customerId,
            @NotNull @Size(min = 1, max = 20) List<@NotNull @Valid Line> lines) {}

    record Line(
            @NotNull @Pattern(regexp = "[A-Z0-9-]{1,40}") String sku,
            @NotNull @Min(1) @Max(1_000) Integer quantity,
            @NotNull @Min(0) @Max(10_000_000) Integer unitPriceCents) {}

    record StatusChange(
            @NotNull @Pattern(regexp = STATUS) String status,
            @NotNull Long version) {}

    record OrderReply(long id, long customerId, String status, long totalCents, long version, Instant createdAt) {
        static OrderReply of(Order order) {
            long customerId = order.customer.getId();
            return new OrderReply(order.id, customerId, order.status, order.totalCents, order.version, order.createdAt);
        }
    }

    record OrderWithLines(@JsonUnwrapped OrderReply order, List<Line> lines) {
        static OrderWithLines of(Order order) {
            List<Line> lines = order.lines.stream()
                    .map(line -> new Line(line.sku, line.quantity, line.unitPriceCents))
                    .toList();
            return new OrderWithLines(OrderReply.of(order), lines);
        }
    }

    record Page(List<OrderReply> items, Long nextAfter) {}

    record Summary(long customerId, String name, long orderCount, long totalCents, Map<String, Long> byStatus) {}
}

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
public final class Messages {
    static final String STATUS = "new|paid|shipped|cancelled";
    static final int MAX_LIMIT = 100;

    private Messages() {}

    public record NewOrder(
            @NotNull Long customerId,
            @NotNull @Size(min = 1, max = 20) List<@NotNull @Valid Line> lines) {}

    public record Line(
            @NotNull @Pattern(regexp = "[A-Z0-9-]{1,40}") String sku,
            @NotNull @Min(1) @Max(1_000) Integer quantity,
            @NotNull @Min(0) @Max(10_000_000) Integer unitPriceCents) {}

    public record StatusChange(
            @NotNull @Pattern(regexp = STATUS) String status,
            @NotNull Long version) {}

    public record OrderReply(
            long id, long customerId, String status, long totalCents, long version, Instant createdAt) {
        static OrderReply of(Order order) {
            return new OrderReply(
                    order.id, order.customer.id, order.status, order.totalCents, order.version, order.createdAt);
        }
    }

    public record OrderWithLines(@JsonUnwrapped OrderReply order, List<Line> lines) {
        static OrderWithLines of(Order order) {
            List<Line> lines = order.lines.stream()
                    .map(line -> new Line(line.sku, line.quantity, line.unitPriceCents))
                    .toList();
            return new OrderWithLines(OrderReply.of(order), lines);
        }
    }

    public record Page(List<OrderReply> items, Long nextAfter) {}

    public record Summary(long customerId, String name, long orderCount, long totalCents, Map<String, Long> byStatus) {}
}

package io.bakeoff.orders;

import org.springframework.data.r2dbc.repository.Modifying;
import org.springframework.data.r2dbc.repository.Query;
import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

interface OrderRepository extends ReactiveCrudRepository<Order, Long> {
    /** The database deletes the lines with their order. */
    @Modifying
    @Query("DELETE FROM orders WHERE id = :id")
    Mono<Integer> deleteOrder(long id);

    @Query("SELECT status, count(*) AS order_count, sum(total_cents)::bigint AS total_cents"
            + " FROM orders WHERE customer_id = :customer GROUP BY status")
    Flux<StatusTotals> totalsByStatus(long customer);

    record StatusTotals(String status, long orderCount, long totalCents) {}
}

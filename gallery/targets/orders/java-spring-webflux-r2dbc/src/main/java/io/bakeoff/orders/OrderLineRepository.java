package io.bakeoff.orders;

import org.springframework.data.repository.reactive.ReactiveCrudRepository;
import reactor.core.publisher.Flux;

interface OrderLineRepository extends ReactiveCrudRepository<OrderLine, Long> {
    Flux<OrderLine> findByOrderIdOrderByPosition(long orderId);
}

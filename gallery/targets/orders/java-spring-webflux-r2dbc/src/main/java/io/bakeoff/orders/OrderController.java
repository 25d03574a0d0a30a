package io.bakeoff.orders;

import io.bakeoff.orders.Messages.NewOrder;
import io.bakeoff.orders.Messages.OrderWithLines;
import io.bakeoff.orders.Messages.Page;
import io.bakeoff.orders.Messages.StatusChange;
import io.bakeoff.orders.Messages.Summary;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class OrderController {
    private final OrderService orders;
    private final DatabaseClient database;

    OrderController(OrderService orders, DatabaseClient database) {
        this.orders = orders;
        this.database = database;
    }

    @PostMapping("/orders")
    Mono<ResponseEntity<OrderWithLines>> create(@Valid @RequestBody NewOrder wanted) {
        return orders.create(wanted)
                .map(created -> ResponseEntity.created(
                                URI.create("/orders/" + created.order().id()))
                        .body(created));
    }

    @GetMapping("/orders/{id}")
    Mono<OrderWithLines> get(@PathVariable long id) {
        return orders.get(id);
    }

    @PatchMapping("/orders/{id}")
    Mono<Order> update(@PathVariable long id, @Valid @RequestBody StatusChange wanted) {
        return orders.update(id, wanted);
    }

    @DeleteMapping("/orders/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> delete(@PathVariable long id) {
        return orders.delete(id);
    }

    @GetMapping("/orders")
    Mono<Page> list(
            @RequestParam long customer,
            @RequestParam(required = false) @Pattern(regexp = Messages.STATUS) String status,
            @RequestParam(required = false) Long after,
            @RequestParam(defaultValue = "20") @Min(1) @Max(100) int limit) {
        return orders.list(customer, status, after, limit);
    }

    @GetMapping("/customers/{id}/summary")
    Mono<Summary> summarise(@PathVariable long id) {
        return orders.summarise(id);
    }

    @GetMapping("/healthz")
    Mono<Void> health() {
        return database.sql("SELECT 1").then();
    }
}

package io.bakeoff.orders;

import static org.springframework.data.relational.core.query.Criteria.where;
import static org.springframework.data.relational.core.query.Query.query;

import io.bakeoff.orders.Messages.Line;
import io.bakeoff.orders.Messages.NewOrder;
import io.bakeoff.orders.Messages.OrderWithLines;
import io.bakeoff.orders.Messages.Page;
import io.bakeoff.orders.Messages.StatusChange;
import io.bakeoff.orders.Messages.Summary;
import io.bakeoff.orders.OrderRepository.StatusTotals;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.domain.Sort;
import org.springframework.data.r2dbc.core.R2dbcEntityTemplate;
import org.springframework.data.relational.core.query.Criteria;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

@Service
class OrderService {
    private final OrderRepository orders;
    private final OrderLineRepository lines;
    private final CustomerRepository customers;
    private final R2dbcEntityTemplate template;

    OrderService(
            OrderRepository orders,
            OrderLineRepository lines,
            CustomerRepository customers,
            R2dbcEntityTemplate template) {
        this.orders = orders;
        this.lines = lines;
        this.customers = customers;
        this.template = template;
    }

    @Transactional
    public Mono<OrderWithLines> create(NewOrder wanted) {
        return orders.save(Order.of(wanted.customerId(), wanted.totalCents()))
                .onErrorMap(DataIntegrityViolationException.class, OrderService::unknownCustomer)
                .flatMap(order -> lines.saveAll(linesOf(order.id(), wanted.lines()))
                        .then(Mono.just(new OrderWithLines(order, wanted.lines()))));
    }

    private static List<OrderLine> linesOf(long order, List<Line> wanted) {
        return IntStream.range(0, wanted.size())
                .mapToObj(index -> {
                    Line line = wanted.get(index);
                    return new OrderLine(null, order, index + 1, line.sku(), line.quantity(), line.unitPriceCents());
                })
                .toList();
    }

    public Mono<OrderWithLines> get(long id) {
        return orders.findById(id)
                .switchIfEmpty(Mono.error(OrderService::notFound))
                .zipWhen(
                        order -> lines.findByOrderIdOrderByPosition(id)
                                .map(Line::of)
                                .collectList(),
                        OrderWithLines::new);
    }

    @Transactional
    public Mono<Order> update(long id, StatusChange wanted) {
        return orders.findById(id)
                .switchIfEmpty(Mono.error(OrderService::notFound))
                .filter(order -> order.version() == wanted.version())
                .switchIfEmpty(Mono.error(
                        () -> new ResponseStatusException(HttpStatus.CONFLICT, "the order has another version")))
                .flatMap(order -> orders.save(order.withStatus(wanted.status())));
    }

    public Mono<Void> delete(long id) {
        return orders.deleteOrder(id)
                .filter(deleted -> deleted > 0)
                .switchIfEmpty(Mono.error(OrderService::notFound))
                .then();
    }

    public Mono<Page> list(long customer, String status, Long after, int limit) {
        Criteria wanted = where("customerId").is(customer);
        if (status != null) {
            wanted = wanted.and("status").is(status);
        }
        if (after != null) {
            wanted = wanted.and("id").lessThan(after);
        }
        return template.select(Order.class)
                .matching(query(wanted).sort(Sort.by("id").descending()).limit(limit))
                .all()
                .collectList()
                .map(items ->
                        new Page(items, items.size() == limit ? items.getLast().id() : null));
    }

    public Mono<Summary> summarise(long id) {
        return customers
                .findById(id)
                .switchIfEmpty(Mono.error(OrderService::notFound))
                .zipWhen(customer -> orders.totalsByStatus(id).collectList(), OrderService::summaryOf);
    }

    private static Summary summaryOf(Customer customer, List<StatusTotals> totals) {
        Map<String, Long> byStatus = new LinkedHashMap<>();
        for (String status : Messages.STATUS.split("\\|")) {
            byStatus.put(status, 0L);
        }
        totals.forEach(each -> byStatus.put(each.status(), each.orderCount()));
        long orderCount = totals.stream().mapToLong(StatusTotals::orderCount).sum();
        long totalCents = totals.stream().mapToLong(StatusTotals::totalCents).sum();
        return new Summary(customer.id(), customer.name(), orderCount, totalCents, byStatus);
    }

    private static Throwable unknownCustomer(DataIntegrityViolationException cause) {
        return new ResponseStatusException(HttpStatus.BAD_REQUEST, "customerId: no such customer", cause);
    }

    private static Throwable notFound() {
        return new ResponseStatusException(HttpStatus.NOT_FOUND);
    }
}

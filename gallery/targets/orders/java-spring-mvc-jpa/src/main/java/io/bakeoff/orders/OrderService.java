package io.bakeoff.orders;

import io.bakeoff.orders.Messages.NewOrder;
import io.bakeoff.orders.Messages.OrderReply;
import io.bakeoff.orders.Messages.OrderWithLines;
import io.bakeoff.orders.Messages.Page;
import io.bakeoff.orders.Messages.StatusChange;
import io.bakeoff.orders.Messages.Summary;
import io.bakeoff.orders.OrderRepository.StatusTotals;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.data.domain.Sort;
import org.springframework.data.jpa.domain.PredicateSpecification;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

@Service
class OrderService {
    private final OrderRepository orders;
    private final CustomerRepository customers;
    private final EntityManager entityManager;

    OrderService(OrderRepository orders, CustomerRepository customers, EntityManager entityManager) {
        this.orders = orders;
        this.customers = customers;
        this.entityManager = entityManager;
    }

    @Transactional
    public OrderWithLines create(NewOrder wanted) {
        Order order = new Order(customers.getReferenceById(wanted.customerId()));
        wanted.lines().forEach(line -> order.add(line.sku(), line.quantity(), line.unitPriceCents()));
        try {
            return OrderWithLines.of(orders.saveAndFlush(order));
        } catch (DataIntegrityViolationException unknown) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "customerId: no such customer", unknown);
        }
    }

    @Transactional(readOnly = true)
    public OrderWithLines get(long id) {
        return orders.findWithLinesById(id).map(OrderWithLines::of).orElseThrow(OrderService::notFound);
    }

    @Transactional
    public OrderReply update(long id, StatusChange wanted) {
        Order order = orders.findById(id).orElseThrow(OrderService::notFound);
        if (order.version != wanted.version()) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "the order has another version");
        }
        if (order.status.equals(wanted.status())) {
            // Nothing has changed that Hibernate would write.
            entityManager.lock(order, LockModeType.PESSIMISTIC_FORCE_INCREMENT);
        } else {
            order.status = wanted.status();
            orders.flush();
        }
        return OrderReply.of(order);
    }

    @Transactional
    public void delete(long id) {
        if (orders.deleteOrder(id) == 0) {
            throw notFound();
        }
    }

    @Transactional(readOnly = true)
    public Page list(long customer, String status, Long after, int limit) {
        PredicateSpecification<Order> wanted = OrderRepository.ofCustomer(customer);
        if (status != null) {
            wanted = wanted.and(OrderRepository.withStatus(status));
        }
        if (after != null) {
            wanted = wanted.and(OrderRepository.before(after));
        }
        Sort newestFirst = Sort.by("id").descending();
        List<Order> page = orders.findBy(
                wanted, found -> found.sortBy(newestFirst).limit(limit).all());
        List<OrderReply> items = page.stream().map(OrderReply::of).toList();
        return new Page(items, items.size() == limit ? items.getLast().id() : null);
    }

    @Transactional(readOnly = true)
    public Summary summarise(long id) {
        Customer customer = customers.findById(id).orElseThrow(OrderService::notFound);
        Map<String, Long> byStatus = new LinkedHashMap<>();
        for (String status : Messages.STATUS.split("\\|")) {
            byStatus.put(status, 0L);
        }
        List<StatusTotals> totals = orders.totalsByStatus(id);
        totals.forEach(each -> byStatus.put(each.status(), each.orderCount()));
        long orderCount = totals.stream().mapToLong(StatusTotals::orderCount).sum();
        long totalCents = totals.stream().mapToLong(StatusTotals::totalCents).sum();
        return new Summary(id, customer.name, orderCount, totalCents, byStatus);
    }

    private static ResponseStatusException notFound() {
        return new ResponseStatusException(HttpStatus.NOT_FOUND);
    }
}

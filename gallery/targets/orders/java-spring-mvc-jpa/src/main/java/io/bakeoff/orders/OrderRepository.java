package io.bakeoff.orders;

import java.util.List;
import java.util.Optional;
import org.springframework.data.jpa.domain.PredicateSpecification;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface OrderRepository extends JpaRepository<Order, Long>, JpaSpecificationExecutor<Order> {
    @EntityGraph(attributePaths = "lines")
    Optional<Order> findWithLinesById(long id);

    /** The database deletes the lines with their order. */
    @Modifying
    @Query("delete from Order o where o.id = :id")
    int deleteOrder(long id);

    @Query(
            "select o.status, count(o), sum(o.totalCents) from Order o where o.customer.id = :customer group by o.status")
    List<StatusTotals> totalsByStatus(long customer);

    record StatusTotals(String status, long orderCount, long totalCents) {}

    static PredicateSpecification<Order> ofCustomer(long customer) {
        return (order, builder) -> builder.equal(order.get("customer").get("id"), customer);
    }

    static PredicateSpecification<Order> withStatus(String status) {
        return (order, builder) -> builder.equal(order.get("status"), status);
    }

    static PredicateSpecification<Order> before(long id) {
        return (order, builder) -> builder.lessThan(order.get("id"), id);
    }
}

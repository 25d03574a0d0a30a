package io.bakeoff.orders;

import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import io.quarkus.panache.common.Sort;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderBy;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.annotations.CreationTimestamp;

@Entity
@Table(name = "orders")
public class Order extends PanacheEntityBase {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    public Long id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    public Customer customer;

    public String status = "new";

    public long totalCents;

    @Version
    public int version = 1;

    @CreationTimestamp
    public Instant createdAt;

    @OneToMany(mappedBy = "order", cascade = CascadeType.PERSIST)
    @OrderBy("position")
    public List<OrderLine> lines = new ArrayList<>();

    void add(String sku, int quantity, int unitPriceCents) {
        OrderLine line = new OrderLine();
        line.order = this;
        line.position = lines.size() + 1;
        line.sku = sku;
        line.quantity = quantity;
        line.unitPriceCents = unitPriceCents;
        lines.add(line);
        totalCents += (long) quantity * unitPriceCents;
    }

    static Optional<Order> findWithLines(long id) {
        return find("from Order o left join fetch o.lines where o.id = ?1", id).singleResultOptional();
    }

    static List<Order> page(long customer, String status, Long after, int limit) {
        StringBuilder wanted = new StringBuilder("customer.id = :customer");
        Map<String, Object> values = new HashMap<>(Map.of("customer", customer));
        if (status != null) {
            wanted.append(" and status = :status");
            values.put("status", status);
        }
        if (after != null) {
            wanted.append(" and id < :after");
            values.put("after", after);
        }
        return find(wanted.toString(), Sort.descending("id"), values)
                .page(0, limit)
                .list();
    }

    public record StatusTotals(String status, long orderCount, long totalCents) {}

    static List<StatusTotals> totalsByStatus(long customer) {
        return find(
                        "select o.status, count(o), sum(o.totalCents) from Order o"
                                + " where o.customer.id = ?1 group by o.status",
                        customer)
                .project(StatusTotals.class)
                .list();
    }
}

package io.bakeoff.orders;

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
import java.util.List;
import org.hibernate.annotations.CreationTimestamp;

@Entity
@Table(name = "orders")
class Order {
    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    @ManyToOne(fetch = FetchType.LAZY, optional = false)
    Customer customer;

    String status = "new";

    long totalCents;

    @Version
    int version = 1;

    @CreationTimestamp
    Instant createdAt;

    @OneToMany(mappedBy = "order", cascade = CascadeType.PERSIST)
    @OrderBy("position")
    List<OrderLine> lines = new ArrayList<>();

    protected Order() {}

    Order(Customer customer) {
        this.customer = customer;
    }

    void add(String sku, int quantity, int unitPriceCents) {
        lines.add(new OrderLine(this, lines.size() + 1, sku, quantity, unitPriceCents));
        totalCents += (long) quantity * unitPriceCents;
    }
}

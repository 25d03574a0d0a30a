package io.bakeoff.orders;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

@Table("order_lines")
record OrderLine(@Id Long id, long orderId, int position, String sku, int quantity, int unitPriceCents) {}

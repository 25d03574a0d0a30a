package io.bakeoff.orders;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

@Table("customers")
record Customer(@Id Long id, String name) {}

"""The tables, as schema.sql of the contract makes them."""

from typing import ClassVar

from django.db import models


class Customer(models.Model):
    name = models.TextField()
    email = models.TextField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "customers"

    def __str__(self) -> str:
        return self.name


class Order(models.Model):
    class Status(models.TextChoices):
        NEW = "new"
        PAID = "paid"
        SHIPPED = "shipped"
        CANCELLED = "cancelled"

    customer = models.ForeignKey(Customer, on_delete=models.PROTECT)
    status = models.TextField(choices=Status, default=Status.NEW)
    total_cents = models.BigIntegerField()
    version = models.IntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "orders"

    def __str__(self) -> str:
        return f"Order {self.pk}"

    def described(self) -> dict[str, object]:
        """The members of a reply, without the lines."""
        return {
            "id": self.pk,
            "customerId": self.customer_id,
            "status": self.status,
            "totalCents": self.total_cents,
            "version": self.version,
            "createdAt": self.created_at,
        }


class OrderLine(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
    position = models.IntegerField()
    sku = models.TextField()
    quantity = models.IntegerField()
    unit_price_cents = models.IntegerField()

    class Meta:
        db_table = "order_lines"
        ordering: ClassVar = ["position"]

    def __str__(self) -> str:
        return f"{self.quantity} × {self.sku}"

    def described(self) -> dict[str, object]:
        return {"sku": self.sku, "quantity": self.quantity, "unitPriceCents": self.unit_price_cents}

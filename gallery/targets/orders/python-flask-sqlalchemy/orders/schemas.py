"""The messages of the contract."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

MAX_WHOLE = 2**53 - 1

Status = Literal["new", "paid", "shipped", "cancelled"]
# Strict: true and "2" are no numbers in a body. In a query all values are texts.
Whole = Annotated[int, Field(strict=True, ge=-MAX_WHOLE, le=MAX_WHOLE)]
WholeInQuery = Annotated[int, Field(ge=-MAX_WHOLE, le=MAX_WHOLE)]


class Message(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, from_attributes=True)

    @classmethod
    def reply(cls, source: object) -> dict[str, Any]:
        """A row as the members of a reply, with types that JSON has."""
        return cls.model_validate(source).model_dump(mode="json", by_alias=True)


class Line(Message):
    sku: Annotated[str, Field(pattern=r"^[A-Z0-9-]{1,40}$")]
    quantity: Annotated[int, Field(strict=True, ge=1, le=1000)]
    unit_price_cents: Annotated[int, Field(strict=True, ge=0, le=10_000_000)]


class NewOrder(Message):
    customer_id: Whole
    lines: Annotated[list[Line], Field(min_length=1, max_length=20)]

    @property
    def total_cents(self) -> int:
        return sum(line.quantity * line.unit_price_cents for line in self.lines)


class Change(Message):
    status: Status
    version: Whole


class Listing(Message):
    customer: WholeInQuery
    status: Status | None = None
    after: WholeInQuery | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class OrderReply(Message):
    id: int
    customer_id: int
    status: Status
    total_cents: int
    version: int
    created_at: datetime


class OrderWithLines(OrderReply):
    lines: list[Line]


class Page(Message):
    items: list[OrderReply]
    next_after: int | None


class Summary(Message):
    customer_id: int
    name: str
    order_count: int
    total_cents: int
    by_status: dict[Status, int]

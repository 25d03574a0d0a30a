"""Loaded by Schemathesis: what it needs to know beside the descriptions."""

from typing import Any

import schemathesis  # type: ignore[import-not-found]
from hypothesis import strategies

# Protobuf writes 64-bit integers as texts, whose format it does not know.
schemathesis.openapi.format("int64", strategies.integers(1, 2**63 - 1).map(str))


def before_load_schema(_context: object, description: dict[str, Any]) -> None:
    """An order of a customer that does not exist is refused, which no schema can say: these exist."""
    order = description.get("components", {}).get("schemas", {}).get("NewOrder")
    if order is not None:
        order["properties"]["customerId"] = {"type": "integer", "minimum": 1, "maximum": 10_000}


schemathesis.hook(before_load_schema)

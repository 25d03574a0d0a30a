"""What an event does to stored state, as the workload declares it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.workload.plan import Plan
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render


@dataclass(frozen=True)
class StoredRow:
    """One row that an event stores: its key and its document as JSON text."""

    key: Sequence[str]
    document: str


def rows_of(plan: Plan, count: int) -> list[StoredRow]:
    """Rows that the first `count` events of virtual user 0 store when each makes a new entity."""
    return [_row(plan, sequence) for sequence in range(count)]


def _row(plan: Plan, sequence: int) -> StoredRow:
    numbers = RandomNumbers(int(plan["seed"], 16), 0, sequence)
    operation = _operation(plan["operations"], numbers.below(sum(entry["weight"] for entry in plan["operations"])))
    variant = operation["variants"][numbers.below(len(operation["variants"]))]
    # Reuse and pick are drawn whether they are needed or not.
    numbers.draw()
    numbers.draw()
    bare = Event(plan["run"], 0, sequence, plan["base_time_ms"])
    key = "" if operation["key"] is None else render(plan["keys"][operation["key"]]["format"], numbers, bare)
    event = Event(plan["run"], 0, sequence, plan["base_time_ms"], key=key)
    message = json.loads(render(variant, numbers, event, plan["size_bytes"]))
    effect = operation["effect"]
    # The language's decimals are the shortest text of their double, so this text is the one that was rendered.
    document = json.dumps(_at(message, effect["document"]), ensure_ascii=False)
    return StoredRow([render(part, numbers, event) for part in effect["key"]], document)


def _operation(operations: Sequence[dict[str, Any]], draw: int) -> dict[str, Any]:
    for operation in operations:
        draw -= operation["weight"]
        if draw < 0:
            return operation
    raise AssertionError("a draw is below the sum of the weights")


def _at(document: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document

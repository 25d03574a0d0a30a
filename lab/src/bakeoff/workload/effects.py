"""What an event does to stored state, as the workload declares it."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.documents import Document
from bakeoff.errors import BakeoffError
from bakeoff.workload.plan import Plan
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.template import slots_named


@dataclass(frozen=True)
class StoredRow:
    """One row that an event stores: its key and its document as JSON text."""

    key: Sequence[str]
    document: str


@dataclass(frozen=True)
class StoringEvent:
    """A message, the row that it stores where there was none, and the value of `${key}` in it."""

    message: Any
    row: StoredRow
    key: str


def rows_of(plan: Plan, count: int) -> list[StoredRow]:
    """Rows that the first `count` storing events of virtual user 0 store when each makes a new entity.

    Raises BakeoffError for a workload without an operation that stores a document under a key of its own.
    """
    if not any(_stores_alone(operation) for operation in plan["operations"]):
        raise BakeoffError(
            f"{plan['workload']} has no operation that stores a document under a generated key, so the shape of its "
            "rows is unknown. Give one an effect of kind merge or put without captured values."
        )
    rows = (_row(plan, sequence) for sequence in itertools.count())
    return list(itertools.islice((row for row in rows if row is not None), count))


def _stores_alone(operation: Document) -> bool:
    """Whether what an operation stores, and where, follows from the plan without any reply."""
    effect = operation["effect"]
    if operation["needs"] is not None or effect is None or effect["kind"] == "delete":
        return False
    return not any(slots_named(part, "captured") for part in effect["key"])


def _row(plan: Plan, sequence: int) -> StoredRow | None:
    numbers = RandomNumbers(int(plan["seed"], 16), 0, sequence)
    operation = _operation(plan["operations"], numbers.below(sum(entry["weight"] for entry in plan["operations"])))
    return _rendered(plan, operation, numbers, sequence).row if _stores_alone(operation) else None


def storing_event(plan: Plan, sequence: int, key: str | None = None) -> StoringEvent | None:
    """What the plan's first operation sends and stores with this number, under a key of its own or the given one.

    None where what it stores depends on a reply.
    """
    operation = plan["operations"][0]
    if not _stores_alone(operation):
        return None
    return _rendered(plan, operation, RandomNumbers(int(plan["seed"], 16), 0, sequence), sequence, key)


def _rendered(
    plan: Plan, operation: Document, numbers: RandomNumbers, sequence: int, key: str | None = None
) -> StoringEvent:
    variant = operation["variants"][numbers.below(len(operation["variants"]))]
    # Reuse and pick are drawn whether they are needed or not.
    numbers.draw()
    numbers.draw()
    bare = Event(plan["run"], 0, sequence, plan["base_time_ms"])
    if key is None:
        key = "" if operation["key"] is None else render(plan["keys"][operation["key"]]["format"], numbers, bare)
    event = Event(plan["run"], 0, sequence, plan["base_time_ms"], key=key)
    message = json.loads(render(variant, numbers, event, plan["size_bytes"]))
    effect = operation["effect"]
    # The language's decimals are the shortest text of their double, so this text is the one that was rendered.
    stored = _at(message, effect["document"])
    if effect.get("members"):
        stored = {name: stored[name] for name in effect["members"] if name in stored}
    document = json.dumps(stored, ensure_ascii=False)
    return StoringEvent(message, StoredRow([render(part, numbers, event) for part in effect["key"]], document), key)


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

"""The rows that events store, by the workload's declared effects."""

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.documents.checked import Json
from bakeoff.documents.json_pointer import value_at
from bakeoff.errors import BakeoffError
from bakeoff.workload.plan_records import Plan, PlannedOperation
from bakeoff.workload.random_numbers import RandomNumbers, drawn_by_weight
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.slots import CapturedSlot, Segments, slots_of


@dataclass(frozen=True)
class StoredRow:
    """One row that an event stores: its key and its document as JSON text."""

    key: Sequence[str]
    document: str


@dataclass(frozen=True)
class StoringEvent:
    """A message, the row that it stores where there was none, and the value of `${key}` in it."""

    message: Json
    row: StoredRow
    key: str


def rows_of(plan: Plan, count: int) -> list[StoredRow]:
    """Rows that the first `count` storing events of virtual user 0 store when each makes a new entity.

    Raises BakeoffError for a workload without an operation that stores a document under a generated key.
    """
    if not stores_without_replies(plan):
        raise BakeoffError(
            f"{plan.workload} has no operation that stores a document under a generated key, so the shape of its "
            "rows is unknown. Give one an effect of kind merge or put without captured values."
        )
    rows = (_row(plan, sequence) for sequence in itertools.count())
    return list(itertools.islice((row for row in rows if row is not None), count))


def stores_without_replies(plan: Plan) -> bool:
    """Whether an operation stores what follows from the plan without any reply."""
    return any(_stored_alone(operation) is not None for operation in plan.operations)


def _stored_alone(operation: PlannedOperation) -> tuple[Sequence[Segments], str] | None:
    """The key and the document of an operation that stores what follows from the plan without any reply."""
    effect = operation.effect
    if operation.needs is not None or effect is None or effect.document is None:
        return None
    is_captured = any(any(slots_of(part, CapturedSlot)) for part in effect.key)
    return None if is_captured else (effect.key, effect.document)


def _row(plan: Plan, sequence: int) -> StoredRow | None:
    numbers = RandomNumbers(int(plan.seed, 16), 0, sequence)
    operation = plan.operations[drawn_by_weight(plan.operations, numbers)]
    event = _rendered(plan, operation, numbers, sequence)
    return None if event is None else event.row


def storing_event(plan: Plan, sequence: int, key: str | None = None) -> StoringEvent | None:
    """The event of this number of the plan's first operation, under a new key or the given one.

    None where what it stores depends on a reply.
    """
    return _rendered(plan, plan.operations[0], RandomNumbers(int(plan.seed, 16), 0, sequence), sequence, key)


def _rendered(
    plan: Plan, operation: PlannedOperation, numbers: RandomNumbers, sequence: int, key: str | None = None
) -> StoringEvent | None:
    stored = _stored_alone(operation)
    if stored is None:
        return None
    key_parts, pointer = stored
    variant = operation.variants[numbers.below(len(operation.variants))]
    # Reuse and pick are drawn whether they are needed or not.
    numbers.draw()
    numbers.draw()
    bare = Event(plan.run, 0, sequence, plan.base_time_ms)
    if key is None:
        key = "" if operation.key is None else render(plan.keys[operation.key].format, numbers, bare)
    event = Event(plan.run, 0, sequence, plan.base_time_ms, key=key)
    message = json.loads(render(variant, numbers, event, plan.size_bytes))
    # The language's decimals are the shortest text of their double, so this text is the one that was rendered.
    stored_part, members = value_at(message, pointer), operation.effect.members if operation.effect is not None else ()
    if members and isinstance(stored_part, dict):
        stored_part = {name: stored_part[name] for name in members if name in stored_part}
    document = json.dumps(stored_part, ensure_ascii=False)
    return StoringEvent(message, StoredRow([render(part, numbers, event) for part in key_parts], document), key)

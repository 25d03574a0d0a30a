"""Fills the table before a run: with rows under keys that no operation uses, or through the target itself."""

from collections.abc import Iterator

from msgspec.structs import replace

from bakeoff.workload.loader import Workload
from bakeoff.workload.plan_records import Plan, PlannedOperation, PlannedPhase
from bakeoff.workload.statements import columns, text_array, upsert
from bakeoff.workload.stored_effects import rows_of, stores_without_replies

# Different documents; each is stored many times, because PostgreSQL multiplies rows faster than the lab renders them.
_DISTINCT_ROWS = 100
# The mark of the last part of a key; no key of an operation holds it.
_MARK = "-preloaded-"
# The same as a pattern of SQL's LIKE.
PRELOADED_KEYS = f"%{_MARK}%"
_STATEMENT_ROWS = 20_000
_STATEMENT_BYTES = 16 * 1024 * 1024


def can_insert(workload: Workload, plan: Plan) -> bool:
    """Whether rows follow from the plan alone, and the workload has the statement that stores them."""
    return workload.declared.upsert is not None and stores_without_replies(plan)


def preload_statements(workload: Workload, plan: Plan, count: int) -> Iterator[str]:
    """SQL statements that store `count` rows, some thousands each. Raises BakeoffError where the workload stores none.

    The last part of a key ends with `-preloaded-N`, so that no operation of any user touches the row.
    """
    distinct = min(count, _DISTINCT_ROWS)
    if distinct == 0:
        return
    rows = rows_of(plan, distinct)
    bytes_each = sum(len(row.document.encode()) for row in rows) / distinct
    copies = int(min(_STATEMENT_ROWS, _STATEMENT_BYTES / bytes_each) // distinct) or 1
    whole_copies, rest = divmod(count, distinct)
    for first in range(0, whole_copies, copies):
        last = min(first + copies, whole_copies) - 1
        yield upsert(workload, _multiplied(columns(rows), first, last))
    if rest:
        yield upsert(workload, _multiplied(columns(rows[:rest]), whole_copies, whole_copies))


def _multiplied(parts: list[list[str]], first: int, last: int) -> list[str]:
    """Arrays in which all rows come once for each number; the last part of the key carries it."""
    numbered = len(parts) - 2
    numbers = f"generate_series({first}, {last}) AS n"
    arrays = []
    for index, part in enumerate(parts):
        text = f"text || '{_MARK}' || n" if index == numbered else "text"
        rows = f"unnest({text_array(part)}) WITH ORDINALITY AS row (text, place)"
        arrays.append(f"SELECT array_agg({text} ORDER BY n, place) FROM {numbers}, {rows}")  # noqa: S608
    return arrays


_USERS = 32
# Changes the seed of the run, so that messages differ.
_OTHER_SEED = 0x9E37_79B9_7F4A_7C15


def creates_alone(operation: PlannedOperation) -> bool:
    """Whether an operation stores a document that no other had to create first."""
    effect = operation.effect
    return operation.needs is None and effect is not None and effect.document is not None


def creating(plan: Plan, count: int, run: str, ledger: str | None) -> Plan:
    """A plan of `count` requests that create entities, by the weights that the plan gives to its creating operations.

    `run` names it, so that its messages differ from those of the plan. One request carries one message.
    """
    weights = [each.weight if creates_alone(each) else 0 for each in plan.operations]
    if not any(weights):
        weights = [int(creates_alone(each)) for each in plan.operations]
    operations = [
        replace(each, weight=weight, think_time_ms=None, rate=None)
        for each, weight in zip(plan.operations, weights, strict=True)
    ]
    keys = [replace(each, reuse=None) for each in plan.keys]
    return replace(
        plan,
        run=run,
        seed=f"{int(plan.seed, 16) ^ _OTHER_SEED:016x}",
        phases=[PlannedPhase(name="preload", virtual_users=min(_USERS, count), iterations=count)],
        operations=operations,
        sessions=(),
        keys=keys,
        think_time_ms=0,
        transport=replace(plan.transport, connections=None, batch=1, stream=False, window=1),
        batch=None,
        stream=None,
        ledger=ledger,
        preload=0,
    )

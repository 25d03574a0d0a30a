"""A plan that only creates entities, through the target itself: for keys that only a target assigns."""

from msgspec.structs import replace

from bakeoff.workload.plan_records import Plan, PlannedOperation, PlannedPhase

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

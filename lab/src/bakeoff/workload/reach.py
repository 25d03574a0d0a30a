"""A smoke run's few requests, chosen so that every operation is among them: what is not sent is not proven."""

from collections.abc import Sequence

from msgspec.structs import replace

from bakeoff.workload.plan_records import Plan, PlannedOperation, PlannedSession
from bakeoff.workload.random_numbers import RandomNumbers, drawn_by_weight

_SEEDS_TRIED = 300
_MOST_ITERATIONS = 320


def reaching_all(plan: Plan) -> Plan:
    """The plan of one user with the first seed, from its own on, that makes its iterations reach every operation.

    Where there are more operations than these iterations reach, it gets more of them.
    """
    (phase,) = plan.phases
    begun = [session for session in plan.sessions if session.weight > 0]
    wanted = {entry.name for entry in plan.operations if entry.weight > 0}
    wanted |= {plan.operations[step].name for session in begun for step in session.steps}
    first, iterations = int(plan.seed, 16), phase.iterations or _MOST_ITERATIONS + 1
    while iterations <= _MOST_ITERATIONS:
        for seed in range(first, first + _SEEDS_TRIED):
            if wanted <= reached(plan.operations, seed, iterations, plan.sessions):
                return replace(plan, seed=f"{seed:016x}", phases=[replace(phase, iterations=iterations)])
        iterations *= 2
    return plan


def reached(
    operations: Sequence[PlannedOperation], seed: int, iterations: int, sessions: Sequence[PlannedSession] = ()
) -> set[str]:
    """The names of the operations that the first user sends first, all being acknowledged: formats/README.md."""
    names, entities, has_login = set(), dict[str, int](), False
    login = next((entry for entry in operations if entry.login), None)
    steps: list[int] = []
    for sequence in range(iterations):
        drawn = drawn_by_weight([*operations, *sessions], RandomNumbers(seed, 0, sequence))
        begun = steps or (list(sessions[drawn - len(operations)].steps) if drawn >= len(operations) else [])
        wanted = chosen = operations[begun[0] if begun else drawn]
        if login is not None and not has_login:
            chosen, has_login = login, True
        elif chosen.needs is not None and not entities.get(chosen.needs):
            chosen = _creator(operations, chosen.needs)
        # A session that has not started yet starts only with its own first step.
        steps = begun[1:] if chosen is wanted else steps
        names.add(chosen.name)
        if chosen.creates is not None:
            entities[chosen.creates] = entities.get(chosen.creates, 0) + 1
        if chosen.needs is not None and chosen.effect is not None and chosen.effect.kind == "delete":
            entities[chosen.needs] = entities.get(chosen.needs, 0) - 1
    return names


def _creator(operations: Sequence[PlannedOperation], kind: str) -> PlannedOperation:
    return next(entry for entry in operations if entry.creates == kind and entry.needs != kind)

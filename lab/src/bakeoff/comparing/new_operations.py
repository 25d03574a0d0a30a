"""Operations that the other commit of a comparison does not serve yet: both sides are measured without them."""

from collections.abc import Collection
from dataclasses import replace

from msgspec.structs import replace as with_members

from bakeoff.options.variant import CANDIDATE, COMMIT
from bakeoff.results.run import RunResult
from bakeoff.running.contender import Contender
from bakeoff.workload.loader import Workload


def is_other_commit(contender: Contender) -> bool:
    """Whether it is the side that the checkout is compared with, so that it may lack what the workload sends."""
    return contender.factors.get(COMMIT, CANDIDATE) != CANDIDATE


def without_commit(contender: Contender) -> Contender:
    """Equal for both sides of a target, but for how they are built and proven."""
    return replace(contender, factors={name: level for name, level in contender.factors.items() if name != COMMIT})


def candidate_of(contender: Contender) -> Contender:
    """The candidate's side of a contender of two commits; any other contender itself.

    Without it the other commit is not measured: alone it says nothing.
    """
    if not is_other_commit(contender):
        return contender
    return replace(contender, factors={**contender.factors, COMMIT: CANDIDATE})


def not_served(smoke: RunResult) -> list[str]:
    """The operations of which every request failed, where others were answered; none where all failed."""
    by_operation = {} if smoke.total is None else smoke.total.by_operation
    failed = [name for name, each in by_operation.items() if each.requests and not each.ok]
    return failed if len(failed) < len(by_operation) else []


def without_operations(workload: Workload, names: Collection[str]) -> Workload:
    """The workload that sends none of these operations, and no session with one of them.

    They stay declared, so that other operations keep their numbers and their messages.
    """
    declared = workload.declared
    sessions = [
        with_members(each, weight=0) if any(step in names for step in each.steps) else each
        for each in declared.sessions
    ]
    unsent = {*names, *(each.name for each in sessions if each.weight == 0)}
    operations = [with_members(each, weight=0) if each.name in names else each for each in declared.operations]
    mixes = {
        mix: {name: 0 if name in unsent else weight for name, weight in weights.items()}
        for mix, weights in declared.mixes.items()
    }
    return replace(workload, declared=with_members(declared, operations=operations, sessions=sessions, mixes=mixes))

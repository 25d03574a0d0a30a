"""Repeats failed measurements, and unclear ones between two commits."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.validity import VALIDITY
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import RunFigures, Series

Figures = TypeVar("Figures", bound=RunFigures)
Judge = Callable[[Measurement], Gate]
Measure = Callable[[Sequence[str]], Measurement]


def confirmed(
    gate: Gate, candidate: Measurement, measure: Measure, judge: Judge, both: Measurement | None = None
) -> Gate:
    """The gate after a rerun of the targets that failed; of two commits, whose sides `both` has, also of unclear ones.

    `measure` measures targets by name; `judge` makes a gate of what was measured. A check fails for good when it fails
    with the new runs alone, and is unclear where they found the machine worse; the other checks stay as they were. Of
    two commits what is unclear is judged over all rounds, and writes that only the new rounds lost fail as well.
    """
    wanted = (Outcome.FAILED,) if both is None else (Outcome.FAILED, Outcome.UNCLEAR)
    contenders = {check.series.contender for check in gate.checks if not check.final and check.outcome in wanted}
    names = sorted({run.target for run in candidate.runs if run.contender in contenders})
    if not names:
        return gate
    second = measure(names)
    alone, together = _by_identity(judge(second)), {}
    if both is not None:
        together = _by_identity(judge(with_rounds_added(both, second)))
    decided = [
        _over_all_rounds(check, together) if check.outcome is Outcome.UNCLEAR else _second_look(check, alone)
        for check in gate.checks
    ]
    known = {_identity(check) for check in gate.checks}
    lost = [check for key, check in alone.items() if key not in known and check.metric == VALIDITY]
    return replace(gate, checks=[*decided, *([] if both is None else lost)])


def with_rounds_added(first: Measurement, second: Measurement) -> Measurement:
    """Both as one measurement; the rounds of the second are numbered on from those of the first."""
    last = max((run.round for run in first.runs), default=0)

    def renumbered(figures: Sequence[Figures]) -> list[Figures]:
        return [replace(each, round=last + each.round) for each in figures]

    return Measurement(
        [*first.runs, *renumbered(second.runs)],
        [*first.phases, *renumbered(second.phases)],
        [*first.conditions, *second.conditions],
        [*first.operations, *renumbered(second.operations)],
    )


def _by_identity(gate: Gate) -> dict[tuple[Series, str], Check]:
    return {_identity(check): check for check in gate.checks}


def _over_all_rounds(check: Check, together: dict[tuple[Series, str], Check]) -> Check:
    decided = together.get(_identity(check))
    if decided is None or check.unmatched:
        return check
    words = f"{check.words}; measured again, over all rounds: {decided.words}"
    return replace(decided, words=words, confirmed=decided.outcome is Outcome.FAILED)


def _second_look(check: Check, again: dict[tuple[Series, str], Check]) -> Check:
    if check.outcome is not Outcome.FAILED or check.final:
        return check
    second = again.get(_identity(check))
    if second is None:
        return replace(check, words=f"{check.words}; the rerun measured nothing comparable")
    if second.outcome is Outcome.FAILED:
        return replace(check, words=f"{check.words}; confirmed by a rerun: {second.words}", confirmed=True)
    if second.stale_baseline:
        words = f"{check.words}; a rerun was inconclusive: {second.words}"
        return replace(check, outcome=Outcome.UNCLEAR, words=words, stale_baseline=True)
    return replace(check, outcome=Outcome.UNCLEAR, words=f"{check.words}; not confirmed by a rerun: {second.words}")


def _identity(check: Check) -> tuple[Series, str]:
    return check.series, check.metric

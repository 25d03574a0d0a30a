"""A run that lost writes or broke down is no measurement, and a gate must not pass over it. Pure functions."""

from collections.abc import Sequence

from bakeoff.gating.check import Check, Outcome
from bakeoff.history.figures import RunFigures, Series

VALIDITY = "validity"


def broken(candidate: Sequence[RunFigures]) -> list[Check]:
    """A failed check for each contender that has a void run, or no completed one; the others have none."""
    grouped: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in candidate:
        grouped.setdefault((run.contender, run.mode, run.payload), []).append(run)
    checks = []
    for runs in grouped.values():
        words = _words(runs)
        if words is not None:
            checks.append(Check(_series(runs), VALIDITY, Outcome.FAILED, words))
    return checks


def _words(runs: Sequence[RunFigures]) -> str | None:
    void = sum(run.status == "void" for run in runs)
    if void:
        return f"{void} of {len(runs)} runs void: the database did not hold what had been acknowledged"
    if not any(run.status == "completed" for run in runs):
        return f"none of {len(runs)} runs completed"
    return None


def _series(runs: Sequence[RunFigures]) -> Series:
    """A run that failed early has no load: one that got further says more."""
    return max((run.series for run in runs), key=lambda series: len(series.load))

"""A gate must not pass over what lost writes, broke down, or was not measured at all. Pure functions."""

from collections.abc import Sequence

from bakeoff.gating.check import Check, Outcome
from bakeoff.gating.request import request_of, wants
from bakeoff.history.run_figures import RunFigures, Series
from bakeoff.history.run_references import Requested
from bakeoff.results.run import Durability

VALIDITY = "validity"
NOT_DURABLE = "not durable: acknowledged writes were lost in a crash, or commits do not reach the disk"


def broken(candidate: Sequence[RunFigures], before: Sequence[RunFigures] = ()) -> list[Check]:
    """A failed check for each contender that has a void run, no completed one, or writes that are not durable.

    What was not durable `before` may stay so.
    """
    grouped: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in candidate:
        grouped.setdefault(_measured(run), []).append(run)
    known = {_measured(run) for run in before if run.durability == Durability.NOT_DURABLE}
    checks = []
    for measured, runs in grouped.items():
        void, completed = (sum(run.status == status for run in runs) for status in ("void", "completed"))
        words = f"{void} of {len(runs)} runs void: acknowledged writes are missing from the database"
        if not void:
            words = f"none of {len(runs)} runs completed"
        if void or not completed:
            # A run that failed early has no load: one that got further says more.
            checks.append(_failed(_fullest(runs), words))
        elif measured not in known and any(run.durability == Durability.NOT_DURABLE for run in runs):
            checks.append(_failed(_fullest(runs), NOT_DURABLE))
    return checks


def unmeasured(
    baseline: Sequence[RunFigures], candidate: Sequence[RunFigures], requested: Requested | None
) -> list[Check]:
    """A failed check for each contender that the candidate's request names and that was not measured.

    The request names what was refused, and what the baseline has and the request means. Of a
    candidate that is not a comparison the request is unknown.
    """
    if requested is None:
        return []
    request = request_of(requested)
    present = {_measured(run) for run in candidate}
    missing = {
        _measured(run): run
        for run in baseline
        if run.status == "completed" and _measured(run) not in present and wants(request, run)
    }
    named = {name for run in missing.values() for name in (run.contender, run.target)}
    reasons = {run.series: requested.why_not(run.contender, run.target) for run in missing.values()}
    # Of what was refused nothing else than its name is known for certain.
    mode = "" if request is None else request.mode
    for name in sorted(requested.refused - named):
        reasons[Series(name, mode, "", "", "", ())] = requested.not_measured[name]
    return [_failed(series, f"not measured: {reason}") for series, reason in reasons.items()]


def _measured(run: RunFigures) -> tuple[str, str, str]:
    return run.contender, run.mode, run.payload


def _fullest(runs: Sequence[RunFigures]) -> Series:
    return max((run.series for run in runs), key=lambda series: len(series.load))


def _failed(series: Series, words: str) -> Check:
    """Writes that were lost once were lost."""
    return Check(series, VALIDITY, Outcome.FAILED, words, final=True)

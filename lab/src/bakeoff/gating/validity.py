"""A gate must not pass over what lost writes, broke down, or was not measured at all. Pure functions."""

from collections.abc import Sequence

from bakeoff.gating.check import Check, Outcome
from bakeoff.gating.request import request_of, wants
from bakeoff.history.requested import Requested
from bakeoff.history.run_figures import RunFigures, Series

VALIDITY = "validity"


def broken(candidate: Sequence[RunFigures]) -> list[Check]:
    """A failed check for each contender that has a void run, or no completed one; the others have none."""
    grouped: dict[tuple[str, str, str], list[RunFigures]] = {}
    for run in candidate:
        grouped.setdefault((run.contender, run.mode, run.payload), []).append(run)
    checks = []
    for runs in grouped.values():
        void, completed = (sum(run.status == status for run in runs) for status in ("void", "completed"))
        words = f"{void} of {len(runs)} runs void: acknowledged writes are missing from the database"
        if not void:
            words = f"none of {len(runs)} runs completed"
        if void or not completed:
            # A run that failed early has no load: one that got further says more.
            checks.append(_failed(max((run.series for run in runs), key=lambda series: len(series.load)), words))
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
    present = {(run.contender, run.mode, run.payload) for run in candidate}
    missing = {
        (run.contender, run.mode, run.payload): run
        for run in baseline
        if run.status == "completed" and (run.contender, run.mode, run.payload) not in present and wants(request, run)
    }
    named = {name for run in missing.values() for name in (run.contender, run.target)}
    reasons = {run.series: requested.why_not(run.contender, run.target) for run in missing.values()}
    # Of what was refused nothing else than its name is known for certain.
    mode = "" if request is None else request.mode
    for name in sorted(requested.refused - named):
        reasons[Series(name, mode, "", "", "", ())] = requested.not_measured[name]
    return [_failed(series, f"not measured: {reason}") for series, reason in reasons.items()]


def _failed(series: Series, words: str) -> Check:
    """Writes that were lost once were lost."""
    return Check(series, VALIDITY, Outcome.FAILED, words, final=True)

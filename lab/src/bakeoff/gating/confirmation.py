"""A failure counts when it is found again: what failed is measured again, as it was."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import BakeoffError
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import Series
from bakeoff.history.run_references import Referenced

Judge = Callable[[Measurement], Gate]
Measure = Callable[[Sequence[str]], Measurement]


def confirmed(gate: Gate, candidate: Measurement, measure: Measure, judge: Judge) -> Gate:
    """The gate after a rerun of the targets that failed.

    `measure` measures targets by name; `judge` makes a gate of what was measured. A check fails for good when it fails
    with the new runs alone, and is unclear where they found the machine worse; the other checks stay as they were.
    """
    failed = {check.series for check in gate.failed if not check.final}
    if not failed:
        return gate
    names = sorted({run.target for run in candidate.runs for series in failed if run.contender == series.contender})
    again = {_identity(check): check for check in judge(measure(names)).checks}
    return replace(gate, checks=[_second_look(check, again) for check in gate.checks])


def request_to_repeat(candidate: Referenced, targets: Sequence[str], command: str) -> ComparisonRequest:
    """What the comparison asked for, of these targets only."""
    request = None if candidate.asked is None else candidate.asked.request
    if request is None:
        raise BakeoffError(
            f"{candidate.name} has no stored request, so it cannot be repeated to confirm the failure. Measure again "
            "with ./bakeoff run, or check the stored runs only, with --no-rerun."
        )
    return replace(request, targets=tuple(targets), command=command)


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

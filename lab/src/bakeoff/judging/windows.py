"""Whether the windows of a contender can carry a rank: long enough to test, and steady. Pure functions."""

from collections.abc import Mapping, Sequence
from statistics import median

from bakeoff.judging.steadiness import trend_of
from bakeoff.results.finding_kinds import INDICATIVE
from bakeoff.results.mode_names import UNRANKED
from bakeoff.results.run import RunResult, Second
from bakeoff.text.prose import rounds_in_words

# Less time shows neither steadiness nor a percentile.
(_SHORTEST_S,) = INDICATIVE.limits
# A second below half of the usual ones is a stall, where seconds count enough to differ by more than chance.
_STALL = 0.5
_FEWEST_OPERATIONS = 100
# Of so many rounds one may be unsteady beyond the first few: on any machine something happens now and then.
_ROUNDS_FOR_ONE = 5


def why_unranked(counted: Mapping[int, RunResult], phase: int | None) -> list[str]:
    """Why runs by round cannot carry a rank by their phase of this number; empty where they can.

    Each reason goes on after the contender's name.
    """
    if are_counted(counted):
        return ["had phases that end after a number of requests, however long that takes"]
    known = [each.measured.planned_s for run in counted.values() for each in run.phases if each.number == phase]
    if not known:
        return []
    reasons = []
    if min(known) < _SHORTEST_S:
        reasons.append(f"had windows of {min(known):.3g} s, and a rank needs {_SHORTEST_S:.0f} s")
    unsteady = [number for number, run in counted.items() if _is_unsteady(run.timeline, phase)]
    if len(unsteady) > (len(counted) - 1) // _ROUNDS_FOR_ONE:
        reasons.append(f"was not steady in {rounds_in_words(unsteady)}")
    return reasons


def are_counted(counted: Mapping[int, RunResult]) -> bool:
    """Whether phases ended after a number of requests: the faster a contender is, the shorter it is measured."""
    return any(run.mode in UNRANKED for run in counted.values())


def _is_unsteady(timeline: Sequence[Second], phase: int | None) -> bool:
    operations = [second.operations for second in timeline if second.phase == phase]
    return trend_of(phase or 0, operations) is not None or _stalls(operations)


def _stalls(operations: Sequence[int]) -> bool:
    """Whether a second between the first and the last all but stood still."""
    inner = operations[1:-1]
    usual = median(inner) if inner else 0.0
    return usual >= _FEWEST_OPERATIONS and min(inner) < _STALL * usual

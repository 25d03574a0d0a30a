"""The search for the highest arrival rate that keeps objectives, one trial after another. Pure functions.

while (rate := next_rate(trials, start)) is not None:
    trials.append(Trial(rate, holds=...))  # one phase of the open model at that rate
capacity = highest_that_holds(trials)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TOLERANCE = 0.05

_LOWEST_PER_S = 1.0
_FACTOR = 2.0


@dataclass(frozen=True)
class Trial:
    """One rate that was tried, and whether it kept the objectives. A rate may be tried several times."""

    rate_per_s: float
    holds: bool


def highest_that_holds(trials: Sequence[Trial]) -> float | None:
    """The highest rate that held in most of its trials, below the lowest that did not; None where there is none."""
    lowest_failing = _lowest_failing(trials)
    return max((rate for rate in _rates(trials) if rate < lowest_failing), default=None)


def next_rate(trials: Sequence[Trial], start_per_s: float, tolerance: float = TOLERANCE) -> float | None:
    """The rate to try next, or None when the answer is known to within the tolerance.

    Doubles while everything holds and halves while nothing does; then takes the geometric middle, so that each step
    halves what is uncertain in proportion.
    """
    if not trials:
        return max(start_per_s, _LOWEST_PER_S)
    low, high = highest_that_holds(trials), _lowest_failing(trials)
    if low is None:
        return None if high <= _LOWEST_PER_S else max(high / _FACTOR, _LOWEST_PER_S)
    if math.isinf(high):
        return low * _FACTOR
    return None if high <= low * (1 + tolerance) else math.sqrt(low * high)


def _lowest_failing(trials: Sequence[Trial]) -> float:
    return min((rate for rate in _rates(trials) if not _held(trials, rate)), default=math.inf)


def _held(trials: Sequence[Trial], rate: float) -> bool:
    verdicts = [trial.holds for trial in trials if trial.rate_per_s == rate]
    return sum(verdicts) * 2 > len(verdicts)


def _rates(trials: Sequence[Trial]) -> set[float]:
    return {trial.rate_per_s for trial in trials}

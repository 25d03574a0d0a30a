"""The search for the highest arrival rate that keeps objectives, one trial after another. Pure functions.

while (rate := next_rate(trials, start)) is not None:
    trials.append(Trial(rate, holds=...))  # one phase of the open model at that rate
capacity = highest_that_holds(trials)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.results.run import Finding

TOLERANCE = 0.05

_LOWEST_PER_S = 1.0
_FACTOR = 2.0
_MAJORITY = 2

# Findings of a trial that put its verdict down to the generator, or to other processes on the machine.
_DOUBTS = ("generator-bound", "generator-lagged", "unsent", "agents-apart", "noisy-machine")


@dataclass(frozen=True)
class Trial:
    """One rate that was tried, and whether it kept the objectives; `findings` are those of its run.

    A rate that failed is tried again, because it may have been a moment's doing, and two of three decide.
    """

    rate_per_s: float
    holds: bool
    findings: Sequence[Finding] = ()


@dataclass(frozen=True)
class Doubt:
    """A finding that speaks against the answer, and the rate at which it was made."""

    rate_per_s: float
    finding: Finding


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
    latest = trials[-1].rate_per_s
    if _is_undecided(trials, latest):
        return latest
    low, high = highest_that_holds(trials), _lowest_failing(trials)
    if low is None:
        return None if high <= _LOWEST_PER_S else max(high / _FACTOR, _LOWEST_PER_S)
    if math.isinf(high):
        return low * _FACTOR
    return None if high <= low * (1 + tolerance) else math.sqrt(low * high)


def doubts_about(trials: Sequence[Trial]) -> list[Doubt]:
    """What speaks against the answer: findings of the trials on either side of it, each kind once at each rate.

    A target that breaks its objectives at a rate that the generator cannot send may keep them at more.
    """
    highest, lowest_failing = highest_that_holds(trials), _lowest_failing(trials)
    doubts: dict[tuple[float, str], Doubt] = {}
    for trial in trials:
        # Of a rate that was tried several times, the trials that were outvoted decided nothing.
        decided = (trial.rate_per_s, trial.holds) in ((highest, True), (lowest_failing, False))
        for finding in trial.findings if decided else ():
            if finding.kind in _DOUBTS:
                doubts.setdefault((trial.rate_per_s, finding.kind), Doubt(trial.rate_per_s, finding))
    return [doubts[place] for place in sorted(doubts)]


def _is_undecided(trials: Sequence[Trial], rate: float) -> bool:
    verdicts = _verdicts(trials, rate)
    return False in verdicts and max(verdicts.count(True), verdicts.count(False)) < _MAJORITY


def _lowest_failing(trials: Sequence[Trial]) -> float:
    return min((rate for rate in _rates(trials) if not _held(trials, rate)), default=math.inf)


def _held(trials: Sequence[Trial], rate: float) -> bool:
    verdicts = _verdicts(trials, rate)
    return sum(verdicts) * 2 > len(verdicts)


def _verdicts(trials: Sequence[Trial], rate: float) -> list[bool]:
    return [trial.holds for trial in trials if trial.rate_per_s == rate]


def _rates(trials: Sequence[Trial]) -> set[float]:
    return {trial.rate_per_s for trial in trials}

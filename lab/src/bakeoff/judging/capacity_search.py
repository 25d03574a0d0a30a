"""The search for the highest arrival rate that keeps objectives, one trial after another. Pure functions.

while (rate := next_rate(trials, start)) is not None:
    trials.append(TriedRate(rate, holds=...))  # one phase of the open model at that rate
capacity = highest_that_holds(trials)

First one trial of each rate, doubling or halving, then the geometric middle, until a rate that holds and one that
fails are a step apart. Then both are confirmed by five further trials each, in turn; most of these overrule the trial
that found the rate, upwards and downwards alike.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import Finding

TOLERANCE = 0.05
# Further trials of the answer, and of the rate one step above it.
CONFIRMATIONS = 5

_LOWEST_PER_S = 1.0
_FACTOR = 2.0
_MAJORITY = CONFIRMATIONS // 2 + 1
# An end of the interval that is not found within so many steps stays open.
_STEPS_OUT = 4

# Findings of a trial that put its verdict down to the generator, or to other processes on the machine.
_OF_THE_GENERATOR = (kinds.GENERATOR_BOUND, kinds.GENERATOR_LAGGED, kinds.UNSENT, kinds.AGENTS_NOT_SYNCHRONIZED)
_CONTRARY_KINDS = {each.name for each in (*_OF_THE_GENERATOR, kinds.NOISY_MACHINE)}


@dataclass(frozen=True)
class TriedRate:
    """One rate that was tried, and whether it kept the objectives; `findings` are those of its run."""

    rate_per_s: float
    holds: bool
    findings: Sequence[Finding] = ()


@dataclass(frozen=True)
class TrialFinding:
    """A finding that speaks against the answer, and the rate at which it was made."""

    rate_per_s: float
    finding: Finding


@dataclass(frozen=True)
class Interval:
    """Where the limit lies: `low` held in all of its confirmations, `high` failed in all; None: not found."""

    low: float | None
    high: float | None


def highest_that_holds(trials: Sequence[TriedRate]) -> float | None:
    """The highest rate that held, below the lowest that did not; None where there is none."""
    lowest_failing = _lowest_failing(trials)
    return max((rate for rate in _rates(trials) if rate < lowest_failing), default=None)


def interval_of(trials: Sequence[TriedRate]) -> Interval:
    """Around the answer, the rates nearest to it whose confirmations all agree."""
    low, high = highest_that_holds(trials), _lowest_failing(trials)
    holding = [rate for rate in _rates(trials) if low is not None and rate <= low and _agree(trials, rate, holds=True)]
    failing = [rate for rate in _rates(trials) if rate >= high and _agree(trials, rate, holds=False)]
    return Interval(max(holding, default=None), min(failing, default=None))


def next_rate(trials: Sequence[TriedRate], start_per_s: float, tolerance: float = TOLERANCE) -> float | None:
    """The rate to try next, or None when the answer and its interval are known."""
    if not trials:
        return max(start_per_s, _LOWEST_PER_S)
    low, high = highest_that_holds(trials), _lowest_failing(trials)
    if low is None:
        if high > _LOWEST_PER_S:
            return max(high / _FACTOR, _LOWEST_PER_S)
        return high if _confirmations_left(trials, high) else None
    if math.isinf(high):
        return low * _FACTOR
    if high > low * (1 + tolerance):
        return math.sqrt(low * high)
    left = {rate: count for rate in (low, high) if (count := _confirmations_left(trials, rate))}
    # In turn, so that a bad minute strikes both.
    return max(left, key=lambda rate: left[rate]) if left else _further_out(trials, low, high, tolerance)


def contrary_findings(trials: Sequence[TriedRate]) -> list[TrialFinding]:
    """Findings that contradict the answer: those of the trials on either side of it, each kind once at each rate.

    A target that breaks its objectives at a rate that the generator cannot send may keep them at more.
    """
    highest, lowest_failing = highest_that_holds(trials), _lowest_failing(trials)
    found: dict[tuple[float, str], TrialFinding] = {}
    for trial in trials:
        # Of a rate that was tried several times, the trials that were outvoted decided nothing.
        decided = (trial.rate_per_s, trial.holds) in ((highest, True), (lowest_failing, False))
        for finding in trial.findings if decided else ():
            if finding.kind in _CONTRARY_KINDS:
                found.setdefault((trial.rate_per_s, finding.kind), TrialFinding(trial.rate_per_s, finding))
    return [found[place] for place in sorted(found)]


def _further_out(trials: Sequence[TriedRate], low: float, high: float, tolerance: float) -> float | None:
    """Where the confirmations do not all agree, the interval is wider than a step: rates beyond its ends."""
    below = [low / (1 + tolerance) ** step for step in range(_STEPS_OUT + 1)]
    above = [high * (1 + tolerance) ** step for step in range(_STEPS_OUT + 1)]
    for rates, holds in ((below, True), (above, False)):
        for rate in rates:
            if _agree(trials, rate, holds):
                break
            if rate >= _LOWEST_PER_S and _confirmations_left(trials, rate):
                return rate
    return None


def _confirmations_left(trials: Sequence[TriedRate], rate: float) -> int:
    return max(0, 1 + CONFIRMATIONS - len(_verdicts(trials, rate)))


def _agree(trials: Sequence[TriedRate], rate: float, holds: bool) -> bool:
    confirmations = _verdicts(trials, rate)[1:]
    return len(confirmations) >= CONFIRMATIONS and all(each is holds for each in confirmations)


def _lowest_failing(trials: Sequence[TriedRate]) -> float:
    return min((rate for rate in _rates(trials) if not _held(trials, rate)), default=math.inf)


def _held(trials: Sequence[TriedRate], rate: float) -> bool:
    """As the first trial says, until most of the confirmations say otherwise.

    The search stops at a rate because of its first trial, which is therefore no evidence for it.
    """
    first, *confirmations = _verdicts(trials, rate)
    return first if confirmations.count(not first) < _MAJORITY else not first


def _verdicts(trials: Sequence[TriedRate], rate: float) -> list[bool]:
    return [trial.holds for trial in trials if trial.rate_per_s == rate]


def _rates(trials: Sequence[TriedRate]) -> set[float]:
    return {trial.rate_per_s for trial in trials}

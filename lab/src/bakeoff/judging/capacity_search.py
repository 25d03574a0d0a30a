"""The search for the highest arrival rate that keeps objectives, one trial after another. Pure functions.

while (rate := next_rate(trials, start)) is not None:
    trials.append(TriedRate(rate, holds=...))  # one phase of the open model at that rate
while not is_confirmed(trials):
    trials.append(confirmation(trials, random).tried(holds=...))

First one trial of each rate, doubling or halving, then the geometric middle, until a rate that holds and one that
fails are a step apart. Then the limit is followed: up after a trial that held, down after one that failed (Dixon and
Mood, J. Am. Stat. Assoc. 43, 1948), until enough trials came after the first change of mind. Their mean is the rate
that holds in half of the trials. Several targets are confirmed in rounds, so that their ratio is one of pairs.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bakeoff.judging.distributions import student_quantile
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import Finding

TOLERANCE = 0.05
# Trials that count, and the most that a limit which is not where it was found may take.
CONFIRMATIONS = 12
_MOST_CONFIRMATIONS = 2 * CONFIRMATIONS

_LOWEST_PER_S = 1.0
_FACTOR = 2.0
# Steps as wide as trials scatter: with narrower ones successive trials resemble each other.
_STEP = (1 + TOLERANCE) ** 2
_CONFIDENCE = 0.95
_MOST_ALIKE = 0.8

# Findings of a trial that put its verdict down to the generator, or to other processes on the machine.
_OF_THE_GENERATOR = (kinds.GENERATOR_BOUND, kinds.GENERATOR_LAGGED, kinds.UNSENT, kinds.AGENTS_NOT_SYNCHRONIZED)
_CONTRARY_KINDS = {each.name for each in (*_OF_THE_GENERATOR, kinds.NOISY_MACHINE)}


@dataclass(frozen=True)
class TriedRate:
    """One rate that was tried, and whether it kept the objectives; `findings` are those of its run.

    A confirmation's rate lies by chance around its `level_per_s`, within half a step; None in the search before it.
    """

    rate_per_s: float
    holds: bool
    findings: Sequence[Finding] = ()
    level_per_s: float | None = None


@dataclass(frozen=True)
class TrialFinding:
    """A finding that speaks against the answer, and the rate at which it was made."""

    rate_per_s: float
    finding: Finding


@dataclass(frozen=True)
class Interval:
    """A mean and its interval; None: not known."""

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float = _CONFIDENCE


def next_rate(trials: Sequence[TriedRate], start_per_s: float, tolerance: float = TOLERANCE) -> float | None:
    """The rate to search next, or None when the limit lies within a step, or below the lowest rate."""
    if not trials:
        return max(start_per_s, _LOWEST_PER_S)
    low, high = bracket(trials)
    if low is None:
        return max(high / _FACTOR, _LOWEST_PER_S) if high > _LOWEST_PER_S else None
    if math.isinf(high):
        return low * _FACTOR
    return math.sqrt(low * high) if high > low * (1 + tolerance) else None


def bracket(trials: Sequence[TriedRate]) -> tuple[float | None, float]:
    """The highest rate that held below the lowest that failed, and that one; of the search alone."""
    searched = [trial for trial in trials if trial.level_per_s is None]
    high = min((trial.rate_per_s for trial in searched if not trial.holds), default=math.inf)
    return max((trial.rate_per_s for trial in searched if trial.rate_per_s < high), default=None), high


def confirmation(trials: Sequence[TriedRate], chance: random.Random) -> TriedRate:
    """The confirmation to try next: its rate and level; `holds` is to be replaced by what it shows."""
    confirmed = _confirmations(trials)
    if confirmed:
        last = confirmed[-1]
        assert last.level_per_s is not None
        level = max(_LOWEST_PER_S, last.level_per_s * (_STEP if last.holds else 1 / _STEP))
    else:
        low, high = bracket(trials)
        level = math.sqrt((low or _LOWEST_PER_S) * high)
    # On a grid of steps the mean would be wrong by as much as half of one, whatever the number of trials.
    return TriedRate(level * _STEP ** chance.uniform(-0.5, 0.5), holds=False, level_per_s=level)


def is_confirmed(trials: Sequence[TriedRate]) -> bool:
    """Whether enough trials followed the limit, or the lowest rate failed, which nothing follows."""
    has_limit = bracket(trials)[0] is not None
    enough = len(_counted(trials)) >= CONFIRMATIONS or len(_confirmations(trials)) >= _MOST_CONFIRMATIONS
    return not has_limit or enough


def limit_of(trials: Sequence[TriedRate]) -> Interval:
    """The rate that holds in half of the trials, as it was while it was confirmed."""
    return _over([math.log(trial.level_per_s or math.nan) for trial in _counted(trials)])


def ratio_of(trials: Sequence[TriedRate], others: Sequence[TriedRate], pairs: int = 1) -> Interval:
    """The limit as a multiple of another's, from the rounds in which both were followed: these met the same machine.

    `pairs` is how many such ratios there are, which all of them are corrected for (Bonferroni).
    """
    rounds = min(len(_confirmations(trials)), len(_confirmations(others)))
    first = max(_first_counted(trials), _first_counted(others))
    both = zip(_confirmations(trials)[first:rounds], _confirmations(others)[first:rounds], strict=True)
    logarithms = [math.log((one.level_per_s or math.nan) / (other.level_per_s or math.nan)) for one, other in both]
    return _over(logarithms, 1 - (1 - _CONFIDENCE) / pairs)


def contrary_findings(trials: Sequence[TriedRate]) -> list[TrialFinding]:
    """Findings that contradict the answer: those of the trials that it comes from, each kind once, at its lowest rate.

    A target that breaks its objectives at a rate that the generator cannot send may keep them at more.
    """
    found: dict[str, TrialFinding] = {}
    for trial in sorted(_counted(trials) or trials, key=lambda each: each.rate_per_s):
        for finding in trial.findings:
            if finding.kind in _CONTRARY_KINDS:
                found.setdefault(finding.kind, TrialFinding(trial.rate_per_s, finding))
    return list(found.values())


def with_verdict(trial: TriedRate, *, holds: bool, findings: Sequence[Finding]) -> TriedRate:
    return replace(trial, holds=holds, findings=findings)


def _confirmations(trials: Sequence[TriedRate]) -> list[TriedRate]:
    return [trial for trial in trials if trial.level_per_s is not None]


def _counted(trials: Sequence[TriedRate]) -> list[TriedRate]:
    return _confirmations(trials)[_first_counted(trials) :]


def _first_counted(trials: Sequence[TriedRate]) -> int:
    """The first confirmation that changed its mind: those before it were on the way to the limit."""
    confirmed = _confirmations(trials)
    changes = (place for place in range(1, len(confirmed)) if confirmed[place].holds != confirmed[place - 1].holds)
    return next(changes, len(confirmed))


def _over(logarithms: Sequence[float], confidence: float = _CONFIDENCE) -> Interval:
    """Student's interval, wider where successive values resemble each other."""
    count = len(logarithms)
    if count < 3:
        return Interval()
    mean = sum(logarithms) / count
    apart = [value - mean for value in logarithms]
    squares = sum(each * each for each in apart)
    # The correlation of so few values is too low by about one in their number.
    alike = sum(one * other for one, other in pairwise(apart)) / max(squares, 1e-12) + 1 / count
    alike = min(max(alike, 0.0), _MOST_ALIKE)
    deviation = math.sqrt(squares / (count - 1) / count * (1 + alike) / (1 - alike))
    half = student_quantile(confidence, count - 1) * deviation
    return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half), confidence)

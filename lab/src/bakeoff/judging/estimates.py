"""Figures over rounds: medians, ratios, and the intervals that say how far they can be believed. Pure functions."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from statistics import median, median_low

import numpy as np

from bakeoff.judging.distributions import student_quantile, student_two_sided
from bakeoff.judging.judgement import Estimate
from bakeoff.judging.moderation import NONE, Prior

FEWEST_ROUNDS = 3
CONFIDENCE = 0.95
# A bound further away says nothing of the ratio, and much of how few the rounds are.
_FURTHEST_BOUND = math.log(10)


@dataclass(frozen=True)
class Spread:
    """Standard deviation of the logarithm of one round's ratio of two contenders, and how well it is known."""

    deviation: float
    degrees: int


@dataclass(frozen=True)
class RatioTest:
    """A ratio with the 95% interval of this test alone, and how probable one as far from 1 is without a difference.

    `mean` is of the logarithms, with its standard error and the degrees of freedom behind that.
    """

    ratio: Estimate
    p_value: float | None
    mean: float = 0.0
    error: float = 0.0
    degrees: float = 0.0

    def bounded(self, level: float, least: float = 0.0) -> Estimate:
        """The ratio with all that this test does not reject at a level.

        The interval reaches to the median, which one ratio that is far off separates from the mean, and as far around
        it as `least`, a difference that is none.
        """
        if self.p_value is None:
            return self.ratio
        middle, around = math.log(self.ratio.median), math.log1p(least)
        half = student_quantile(1 - level, self.degrees) * self.error
        low, high = bounds_around(
            middle, min(self.mean - half, middle - around), max(self.mean + half, middle + around)
        )
        return replace(self.ratio, low=low, high=high, confidence=1 - level)


def estimate(values: Iterable[float]) -> Estimate:
    """The median of at least one value, with its interval from three values on."""
    given = tuple(float(value) for value in values)
    return _with_interval(median(given), given)


def interval_name(rounds: Iterable[int]) -> str:
    """The name of the bounds of medians over so many rounds each: `93% interval`, `75% to 93% interval`.

    Empty where all are too few for one.
    """
    enough = sorted(_order_statistics(count)[1] for count in {*rounds} if count >= FEWEST_ROUNDS)
    names = [f"{math.floor(round(100 * confidence, 6))}%" for confidence in enough]
    return f"{' to '.join(dict.fromkeys([*names[:1], *names[-1:]]))} interval" if names else ""


def estimate_of_latency(values: Iterable[float]) -> Estimate:
    """The same of a latency, of which no mean is taken: of an even number of rounds the lower of the middle two."""
    given = tuple(float(value) for value in values)
    return _with_interval(median_low(given), given)


def estimate_of_known(values: Iterable[float | None]) -> Estimate | None:
    """The estimate of what is known, or None where nothing is."""
    known = [value for value in values if value is not None]
    return estimate(known) if known else None


def _with_interval(middle: float, values: tuple[float, ...]) -> Estimate:
    """The bounds are values themselves: the narrowest as far from both ends that contain the true median surely enough.

    Exact for whatever distribution (H. A. David, Order Statistics, 7.1).
    """
    if len(values) < FEWEST_ROUNDS:
        return Estimate(middle, None, None, values)
    left_out, confidence = _order_statistics(len(values))
    ordered = sorted(values)
    return Estimate(middle, ordered[left_out], ordered[-1 - left_out], values, confidence)


@cache
def _order_statistics(count: int) -> tuple[int, float]:
    """How many of so many values lie outside of the bounds on either side, and the confidence of these.

    It is 95% or more from six values on; the lowest and highest of fewer have less.
    """
    below = list(accumulate(math.comb(count, number) / 2**count for number in range(count // 2)))
    left_out = max((number for number, outside in enumerate(below) if 1 - 2 * outside >= CONFIDENCE), default=0)
    return left_out, 1 - 2 * below[left_out]


def ratio_of(log_ratios: Sequence[float], prior: Prior = NONE, times: float = 2.0) -> RatioTest:
    """The median of paired ratios, given as logarithms of at least one, with Student's interval and two-sided p.

    `prior` is what all contenders' variances have in common, of which the ratio has `times` as much: two for one
    contender over another.
    """
    logs = np.asarray(log_ratios, dtype=float)
    middle = median(log_ratios)
    values = tuple(float(value) for value in np.exp(logs))
    if len(logs) < FEWEST_ROUNDS:
        return RatioTest(Estimate(float(np.exp(middle)), None, None, values), None)
    mean = float(logs.sum()) / len(logs)
    variance, degrees = prior.with_own(float(((logs - mean) ** 2).sum()) / (len(logs) - 1), len(logs) - 1, times)
    error = (variance / len(logs)) ** 0.5
    ratio = Estimate(float(np.exp(middle)), None, None, values)
    test = RatioTest(ratio, student_p_value(mean, error, degrees), mean, error, degrees)
    return replace(test, ratio=test.bounded(1 - CONFIDENCE))


def bounds_around(middle: float, low: float, high: float, none: float = 0.0) -> tuple[float | None, float | None]:
    """The bounds of a ratio, given as logarithms; None where one is no bound: too far off, and beyond what is tested.

    `none` is the logarithm that the test is about, that of no difference.
    """
    has_low, has_high = middle - low <= _FURTHEST_BOUND or low > none, high - middle <= _FURTHEST_BOUND or high < none
    return math.exp(low) if has_low else None, math.exp(high) if has_high else None


def student_half_width(deviation: float, degrees: float) -> float:
    """Half of the 95% interval of a mean whose own standard deviation is this."""
    return student_quantile(CONFIDENCE, degrees) * deviation


def student_p_value(mean: float, deviation: float, degrees: float) -> float:
    """How probable a mean at least as far from 0 is where the true one is 0."""
    # Rounds that agree to the last digit happen only in made-up data, and there say everything.
    if deviation <= 1e-12:
        return 1.0 if abs(mean) <= 1e-12 else 0.0
    return student_two_sided(mean / deviation, degrees)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's correction over those that are known: none is smaller than before, none above 1."""
    known = sorted((value, index) for index, value in enumerate(p_values) if value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (value, index) in enumerate(known):
        highest = max(highest, min(1.0, value * (len(known) - rank)))
        adjusted[index] = highest
    return adjusted


def holm_levels(p_values: Sequence[float | None], level: float) -> list[float | None]:
    """The level at which Holm's correction tests each of those that are known.

    The first that is not rejected ends it: all after it share its level. So an interval at this level excludes what is
    tested exactly where it is rejected.
    """
    known = sorted((value, index) for index, value in enumerate(p_values) if value is not None)
    rejected = sum(value is not None and value <= level for value in holm(p_values))
    levels: list[float | None] = [None] * len(p_values)
    for rank, (_, index) in enumerate(known):
        levels[index] = level / (len(known) - min(rank, rejected))
    return levels

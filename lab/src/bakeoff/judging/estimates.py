"""Figures over rounds: medians, ratios, and the intervals that say how far they can be believed. Pure functions."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from statistics import median, median_low

import numpy as np

from bakeoff.judging.distributions import student_quantile, student_two_sided
from bakeoff.judging.judgement import Estimate
from bakeoff.judging.moderation import NONE, Prior

FEWEST_ROUNDS = 3
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """Standard deviation of the logarithm of one round's ratio of two contenders, and how well it is known."""

    deviation: float
    degrees: int


@dataclass(frozen=True)
class RatioTest:
    """A ratio with its interval, and how probable one as far from 1 would be if there were no difference.

    `mean` is of the logarithms, with its standard error and the degrees of freedom behind that.
    """

    ratio: Estimate
    p_value: float | None
    mean: float = 0.0
    error: float = 0.0
    degrees: float = 0.0


def estimate(values: Iterable[float]) -> Estimate:
    """The median of at least one value, with its interval from three values on."""
    given = tuple(float(value) for value in values)
    return _with_interval(median(given), given)


def interval_name(rounds: int) -> str:
    """The name of the bounds of a median over so many rounds."""
    return estimate(range(rounds)).interval_name if rounds else "interval"


def estimate_of_percentiles(values: Iterable[float]) -> Estimate:
    """The same of percentiles, of which no mean is taken: of an even number of rounds the lower of the middle two."""
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
    contender over another. One ratio that is far off carries the mean away from the median; the interval then reaches
    to the median.
    """
    logs = np.asarray(log_ratios, dtype=float)
    middle = median(log_ratios)
    values = tuple(float(value) for value in np.exp(logs))
    if len(logs) < FEWEST_ROUNDS:
        return RatioTest(Estimate(float(np.exp(middle)), None, None, values), None)
    variance, degrees = prior.with_own(float(np.var(logs, ddof=1)), len(logs) - 1, times)
    mean, error = float(np.mean(logs)), (variance / len(logs)) ** 0.5
    half = student_half_width(error, degrees)
    low, high = (float(np.exp(bound)) for bound in (min(mean - half, middle), max(mean + half, middle)))
    ratio = Estimate(float(np.exp(middle)), low, high, values, CONFIDENCE)
    return RatioTest(ratio, student_p_value(mean, error, degrees), mean, error, degrees)


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

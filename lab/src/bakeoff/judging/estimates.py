"""Figures over rounds: medians, ratios, and the intervals that say how far they can be believed. Pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median, median_low
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.judging.distributions import student_quantile, student_two_sided
from bakeoff.judging.judgement import ROUNDS_FOR_INTERVAL, Estimate
from bakeoff.judging.moderation import NONE, Prior

FEWEST_ROUNDS = 3
CONFIDENCE = 0.95

_RESAMPLES = 20_000
_SEED = 1


@dataclass(frozen=True)
class Spread:
    """Standard deviation of the logarithm of one round's ratio of two contenders, and how well it is known."""

    deviation: float
    degrees: int


@dataclass(frozen=True)
class RatioTest:
    """A ratio with its interval, and how probable one as far from 1 would be if there were no difference."""

    ratio: Estimate
    p_value: float | None


def estimate(values: Iterable[float]) -> Estimate:
    """The median of at least one value, with its 95% bootstrap interval from three values on."""
    given = tuple(float(value) for value in values)
    low, high = bootstrap_interval(given) if len(given) >= FEWEST_ROUNDS else (None, None)
    return Estimate(median(given), low, high, given)


def estimate_of_percentiles(values: Iterable[float]) -> Estimate:
    """The same of percentiles, of which no mean is taken: of an even number of rounds the lower of the middle two."""
    given = tuple(float(value) for value in values)
    low, high = bootstrap_interval(given, lower_median=True) if len(given) >= FEWEST_ROUNDS else (None, None)
    return Estimate(median_low(given), low, high, given)


def estimate_of_known(values: Iterable[float | None]) -> Estimate | None:
    """The estimate of what is known, or None where nothing is."""
    known = [value for value in values if value is not None]
    return estimate(known) if known else None


def bootstrap_interval(values: Sequence[float], *, lower_median: bool = False) -> tuple[float, float]:
    """The 95% percentile interval of the median when the values are resampled, with replacement, many times.

    The median of a draw depends only on which ranks stand in its middle. These are drawn once for each number of
    values, from a fixed seed: thousands of estimates then cost one look-up each, and the same values always give the
    same interval.
    """
    lower, upper, weights = _middle_ranks(len(values))
    ordered = np.sort(np.asarray(values, dtype=float))
    medians = ordered[lower] if lower_median else (ordered[lower] + ordered[upper]) / 2
    order = np.argsort(medians, kind="stable")
    reached = np.cumsum(weights[order])
    tail = (1 - CONFIDENCE) / 2
    low, high = medians[order][np.searchsorted(reached, [tail, 1 - tail])]
    return float(low), float(high)


def ratio_of(log_ratios: Sequence[float], prior: Prior = NONE, times: float = 2.0) -> RatioTest:
    """The median of paired ratios, given as logarithms of at least one, with Student's interval and two-sided p.

    Student's interval and not the bootstrap's: of five to ten differences it keeps its promise; of fewer the range of
    the rounds is shown. `prior` is what all contenders' variances have in common, of which the ratio has `times` as
    much: two for one contender over another. One ratio that is far off carries the mean away from the median; the
    interval then reaches to the median.
    """
    logs = np.asarray(log_ratios, dtype=float)
    middle = median(log_ratios)
    values = tuple(float(value) for value in np.exp(logs))
    if len(logs) < FEWEST_ROUNDS:
        return RatioTest(Estimate(float(np.exp(middle)), None, None, values), None)
    variance, degrees = prior.with_own(float(np.var(logs, ddof=1)), len(logs) - 1, times)
    mean, deviation = float(np.mean(logs)), (variance / len(logs)) ** 0.5
    p_value = student_p_value(mean, deviation, degrees)
    if len(logs) < ROUNDS_FOR_INTERVAL:
        return RatioTest(Estimate(float(np.exp(middle)), min(values), max(values), values), p_value)
    half = student_half_width(deviation, degrees)
    low, high = min(mean - half, middle), max(mean + half, middle)
    return RatioTest(Estimate(float(np.exp(middle)), float(np.exp(low)), float(np.exp(high)), values), p_value)


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


@cache
def _middle_ranks(count: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Both middle ranks of resamples of so many values, and how often each pair of them came."""
    draws = np.sort(np.random.default_rng(_SEED).integers(count, size=(_RESAMPLES, count)), axis=1)
    pairs, times = np.unique(draws[:, [(count - 1) // 2, count // 2]], axis=0, return_counts=True)
    return pairs[:, 0], pairs[:, 1], times / _RESAMPLES

"""Trends of throughput within windows, told from noise that remembers some seconds. Pure functions.

Noise with a memory makes lines through a window steep by chance. So the error of a line is that of noise whose
correlation falls by e in three seconds, and a line counts only where such noise does not explain it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.judging.distributions import student_two_sided
from bakeoff.results.finding_kinds import TREND

# Fewer seconds than these draw no line that deserves the name.
_FEWEST_SECONDS = 8
_IN_ONE_WINDOW, _IN_ALL_WINDOWS, CHANCE, _MEMORY_S = TREND.limits


@dataclass(frozen=True)
class Line:
    """Its slope, the standard error of that, and the degrees of freedom behind the error."""

    slope: float
    error: float
    degrees: int


def line_through(at: Sequence[float], values: Sequence[float]) -> Line:
    """The line through three points or more, at places that differ, by least squares."""
    places, heights = np.asarray(at, dtype=float), np.asarray(values, dtype=float)
    # Around their mean, where places that are large and close together lose no digits.
    (slope, _), covariance = np.polyfit(places - places.mean(), heights, deg=1, cov=True)
    return Line(float(slope), float(np.sqrt(covariance[0, 0])), len(places) - 2)


@dataclass(frozen=True)
class Trend:
    """The change of a straight line from the first second of a window to its last, as a share of the mean.

    `chance` is the probability of as large a change without a trend.
    """

    change: float
    chance: float

    @property
    def words(self) -> str:
        """`rose 12%`."""
        return f"{'rose' if self.change > 0 else 'fell'} {abs(self.change):.0%}"

    def counts(self, least: float, chance: float) -> bool:
        """Whether it is as large as that, and noise an unlikely explanation."""
        return abs(self.change) > least and self.chance <= chance


def trends_of(windows: Sequence[Sequence[int]], chance: float = CHANCE) -> list[Trend | None]:
    """The trend of each window, by its operations a second, where it has one; `chance` is over all of them."""
    trends = [_trend([window]) for window in windows]
    each = chance / max(1, len(windows))
    return [trend if trend is not None and trend.counts(_IN_ONE_WINDOW, each) else None for trend in trends]


def common_trend(windows: Sequence[Sequence[int]], chance: float = CHANCE) -> Trend | None:
    """The mean trend of all windows, if they have one: what is noise goes up in one window and down in another."""
    trend = _trend(windows)
    return trend if trend is not None and trend.counts(_IN_ALL_WINDOWS, chance) else None


def _trend(windows: Sequence[Sequence[int]]) -> Trend | None:
    # The first second is left out: the users of a phase only start in it.
    settled = [np.asarray(window[1:], dtype=float) for window in windows]
    lines = [_line(seconds) for seconds in settled if len(seconds) >= _FEWEST_SECONDS and seconds.mean() > 0]
    if not lines:
        return None
    change, error = sum(each for each, _, _ in lines) / len(lines), math.sqrt(sum(each for _, each, _ in lines))
    if error <= 1e-9 * len(lines):
        return Trend(change, 0.0 if abs(change) > 1e-9 else 1.0)
    return Trend(change, student_two_sided(change / (error / len(lines)), sum(degrees for _, _, degrees in lines)))


def _line(seconds: NDArray[Any]) -> tuple[float, float, float]:
    """The relative change of the line through them, its variance, and the degrees of freedom of that."""
    slope, rest, inflation, degrees = _least_squares(len(seconds))
    relative = seconds / seconds.mean()
    residuals = rest @ relative
    return float(slope @ relative), float(residuals @ residuals) * inflation, degrees


@cache
def _least_squares(count: int) -> tuple[NDArray[Any], NDArray[Any], float, float]:
    """For so many seconds: what gives the change, and the residuals, of the line through them.

    Then, of noise with the memory: the variance of the change over the expected sum of squared residuals, and the
    degrees of freedom of that sum (Satterthwaite).
    """
    at = np.arange(count, dtype=float)
    design = np.column_stack([np.ones(count), at - at.mean()])
    fit = np.linalg.pinv(design)
    slope, rest = fit[1] * (count - 1), np.eye(count) - design @ fit
    correlation = np.exp(-np.abs(at[:, None] - at[None, :]) / _MEMORY_S)
    spread = rest @ correlation
    left = float(np.trace(spread))
    return slope, rest, float(slope @ correlation @ slope) / left, left**2 / float(np.trace(spread @ spread))

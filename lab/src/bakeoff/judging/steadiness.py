"""Whether throughput was on its way somewhere while it was measured. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bakeoff.results.finding_kinds import TREND
from bakeoff.results.run import Second

# Fewer seconds than these draw no line that deserves the name.
_FEWEST_SECONDS = 8
_CHANGE, _TIMES_ITS_ERROR = TREND.limits


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
    """The straight line through a phase's seconds: `change` is its rise from first to last, as a share of the mean."""

    phase: int
    change: float


def steepest_trend(timeline: Sequence[Second]) -> Trend | None:
    """The steepest line of any phase that rises or falls by more than a tenth and is clearly no chance; else None."""
    phases = sorted({second.phase for second in timeline})
    trends = [
        trend
        for phase in phases
        if (trend := trend_of(phase, [second.operations for second in timeline if second.phase == phase])) is not None
    ]
    return max(trends, key=lambda trend: abs(trend.change), default=None)


def trend_of(phase: int, operations: Sequence[int]) -> Trend | None:
    """The trend of one phase, if it has one. The first second is left out: the phase's users only begin in it."""
    settled = operations[1:]
    mean = sum(settled) / max(1, len(settled))
    if len(settled) < _FEWEST_SECONDS or mean <= 0:
        return None
    line = line_through(range(len(settled)), settled)
    change = line.slope * (len(settled) - 1) / mean
    surely = abs(line.slope) > _TIMES_ITS_ERROR * line.error
    return Trend(phase, change) if surely and abs(change) > _CHANGE else None

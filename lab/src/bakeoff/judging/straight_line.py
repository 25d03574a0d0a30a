"""The straight line through points, by least squares. A pure function.

numpy fits it: scipy.stats, which would too, takes a second to load, and every run asks for a line.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Line:
    """Its slope, the standard error of that, and the degrees of freedom behind the error."""

    slope: float
    error: float
    degrees: int


def line_through(at: Sequence[float], values: Sequence[float]) -> Line:
    """The line through three points or more, at places that differ."""
    places, heights = np.asarray(at, dtype=float), np.asarray(values, dtype=float)
    # Around their mean, where places that are large and close together lose no digits.
    (slope, _), covariance = np.polyfit(places - places.mean(), heights, deg=1, cov=True)
    return Line(float(slope), float(np.sqrt(covariance[0, 0])), len(places) - 2)

"""The straight line through points, by least squares. A pure function."""

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
    places = places - places.mean()
    slope = float(places @ heights / (places @ places))
    rest = heights - heights.mean() - slope * places
    degrees = len(places) - 2
    error = float(np.sqrt(rest @ rest / degrees / (places @ places)))
    return Line(slope, error, degrees)

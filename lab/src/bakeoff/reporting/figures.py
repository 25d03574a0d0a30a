"""Estimates as tables and pages write them."""

from collections.abc import Callable

from bakeoff.judging.judgement import Estimate
from bakeoff.reporting.numbers import NOTHING, rounded

Write = Callable[[float | None], str]


def median_of(estimate: Estimate | None, write: Write) -> str:
    """The median alone; a dash where the figure is unknown."""
    return write(None if estimate is None else rounded(estimate.median))


def with_interval(estimate: Estimate | None, write: Write) -> str:
    """`1.25× (1.21–1.30×)`; without bounds the median alone."""
    if estimate is None:
        return NOTHING
    if estimate.low is None or estimate.high is None:
        return median_of(estimate, write)
    low, high = write(rounded(estimate.low)).removesuffix("×"), write(rounded(estimate.high))
    return f"{median_of(estimate, write)} ({low}–{high})"

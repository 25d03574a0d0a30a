"""Estimates as tables and pages write them."""

from collections.abc import Callable

from bakeoff.judging.judgement import Estimate
from bakeoff.reporting.numbers import NOTHING, rounded
from bakeoff.text import ratios

Write = Callable[[float | None], str]

RESIDENT = (
    "Memory is resident: what each process has for itself, and the shared pages of the process that has most of them."
)
MEMORY = f"{RESIDENT} PSS divides each page by the number of processes that share it, and is read less often."
RATIOS = "A ratio is the median of the rounds' ratios, which may differ from the ratio of the medians."
RATIO_INTERVALS = (
    f"{RATIOS} Intervals of ratios are those of their tests: that of a tie contains 1, that of a difference does not."
)


def median_of(estimate: Estimate | None, write: Write) -> str:
    """The median alone; a dash where the figure is unknown."""
    return write(None if estimate is None else rounded(estimate.median))


def with_interval(estimate: Estimate | None, write: Write) -> str:
    """`1,250 (1,210–1,300)`; without bounds the median alone."""
    if estimate is None:
        return NOTHING
    if estimate.low is None or estimate.high is None:
        return median_of(estimate, write)
    return f"{median_of(estimate, write)} ({write(rounded(estimate.low))}–{write(rounded(estimate.high))})"


def ratio_with_interval(ratio: Estimate) -> str:
    """`1.25× (1.21–1.30)`."""
    median, interval = ratio_and_interval(ratio)
    return f"{median} ({interval})" if interval else median


def ratio_and_interval(ratio: Estimate) -> tuple[str, str]:
    """The median, and its interval in words; that is empty with fewer than three rounds."""
    has_interval = ratio.confidence is not None or (ratio.low, ratio.high) != (None, None)
    words = ratios.bounds(ratio.low, ratio.high, len(ratio.values), "–") if has_interval else ""
    return ratios.times(ratio.median, differs=ratio.excludes_one), words

"""The runs on one line of a trend, and where it changed its level. Pure functions for commands and pages."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, variance

from bakeoff.history.run_figures import Metric, RunFigures
from bakeoff.judging.estimates import student_p_value

# Fewer points on either side of a change cannot be separated from noise.
SHORTEST_SEGMENT = 3

# What a change must explain, in units of noise: twice what the Bayesian information criterion asks for, because
# neighbouring measurements on a busy machine resemble one another.
_PENALTY = 4.0
# And how rarely chance alone may part the levels on its two sides so far.
_SIGNIFICANCE = 0.001
# No measurement repeats itself more closely than this.
_LEAST_NOISE = 0.001
# A point this many times the noise away from its neighbours' median is an outlier and no level.
_OUTLIER = 4.0
_NEIGHBOURS = 2


@dataclass(frozen=True)
class NewestSeries:
    """Runs of one series, oldest first, and how many completed runs of another series were left out."""

    runs: Sequence[RunFigures]
    left_out: int


def newest_series(runs: Sequence[RunFigures], metric: Metric) -> NewestSeries:
    """Of runs that are given newest first, those that measured what the newest completed one did.

    Only runs that have a figure for the metric count. A change of load or of settings is no change of the target: it
    begins another series.
    """
    completed = [run for run in reversed(runs) if run.status == "completed" and metric.of(run) is not None]
    same = [run for run in completed if run.series == completed[-1].series]
    return NewestSeries(same, len(completed) - len(same))


@dataclass(frozen=True)
class ChangePoint:
    """From `index` on, the series has another level. `before` and `after` are the medians on either side of it.

    They reach to the neighbouring change points, or to the ends.
    """

    index: int
    before: float
    after: float

    @property
    def change(self) -> float:
        """Relative change of level."""
        return self.after / self.before - 1 if self.before else math.inf


def trend(values: Sequence[float]) -> list[ChangePoint]:
    """The change points of a series in the order of time.

    Levels are compared as logarithms, so that a factor counts the same however large the figures are. Values must be
    positive; others count as the smallest positive one.
    """
    if len(values) < 2 * SHORTEST_SEGMENT:
        return []
    floor = min((value for value in values if value > 0), default=1.0)
    logs = [math.log(max(value, floor)) for value in values]
    edges = _edges(_without_outliers(logs, _noise(logs)))
    medians = [median(values[begin:end]) for begin, end in pairwise(edges)]
    inner = zip(edges[1:-1], pairwise(medians), strict=True)
    return [ChangePoint(index, before, after) for index, (before, after) in inner]


def _edges(signal: Sequence[float]) -> list[int]:
    """Where levels begin and end, from 0 to the length of the signal."""
    edges = best_split([point / _noise(signal) for point in signal], _PENALTY * math.log(len(signal)))
    while (weakest := _weakest(signal, edges)) is not None:
        edges.remove(weakest)
    return edges


def best_split(signal: Sequence[float], penalty: float) -> list[int]:
    """The edges of the levels that leave the least sum of squares plus a penalty for each level (optimal partitioning).

    B. Jackson et al., IEEE Signal Processing Letters 12 (2005): the best split up to a point is a best split up to an
    earlier one and one level more.
    """
    import numpy as np

    sums = np.concatenate([[0.0], np.cumsum(signal)])
    squares = np.concatenate([[0.0], np.cumsum(np.square(signal))])
    least, last = np.full(len(sums), np.inf), [0] * len(sums)
    least[0] = 0.0
    for end in range(SHORTEST_SEGMENT, len(sums)):
        begin = np.arange(end - SHORTEST_SEGMENT + 1)
        within = squares[end] - squares[begin] - (sums[end] - sums[begin]) ** 2 / (end - begin)
        costs = least[begin] + within + penalty
        last[end] = int(np.argmin(costs))
        least[end] = costs[last[end]]
    edges = [len(signal)]
    while edges[-1] > 0:
        edges.append(last[edges[-1]])
    return edges[::-1]


def _weakest(signal: Sequence[float], edges: Sequence[int]) -> int | None:
    """The edge that chance explains best, or None when chance explains none of them."""
    chances = {
        edge: _chance(signal[begin:edge], signal[edge:end])
        for begin, edge, end in zip(edges, edges[1:], edges[2:], strict=False)
    }
    likeliest = max(chances, key=chances.__getitem__, default=None)
    return likeliest if likeliest is not None and chances[likeliest] > _SIGNIFICANCE else None


def _chance(before: Sequence[float], after: Sequence[float]) -> float:
    """How probable it is that two samples of one level differ this much: Student's t-test, two-sided."""
    freedom = len(before) + len(after) - 2
    spread = (variance(before) * (len(before) - 1) + variance(after) * (len(after) - 1)) / freedom
    error = math.sqrt(spread * (1 / len(before) + 1 / len(after)))
    return student_p_value(fmean(after) - fmean(before), error, freedom)


def _without_outliers(signal: Sequence[float], noise: float) -> list[float]:
    """Points far from the median of their neighbourhood are replaced by it."""
    smooth = [median(signal[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]) for at in range(len(signal))]
    return [
        middle if abs(point - middle) > _OUTLIER * noise else point
        for point, middle in zip(signal, smooth, strict=True)
    ]


def _noise(signal: Sequence[float]) -> float:
    """The standard deviation of one point, from the differences of neighbours: a change of level hardly moves it."""
    differences = [abs(after - before) for before, after in pairwise(signal)]
    # The median absolute difference of two normal values is 0.954 standard deviations of one of them.
    return max(median(differences) / 0.954, _LEAST_NOISE)

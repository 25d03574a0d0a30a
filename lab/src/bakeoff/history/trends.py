"""Where a series of measurements changed its level. Pure functions, shared by the command line and the pages."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, variance

# Fewer points on either side of a change cannot be told from noise.
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
    import numpy
    import ruptures

    column = numpy.asarray(signal).reshape(-1, 1) / _noise(signal)
    search = ruptures.KernelCPD(kernel="linear", min_size=SHORTEST_SEGMENT).fit(column)
    edges = [0, *search.predict(pen=_PENALTY * math.log(len(signal)))]
    while (weakest := _weakest(signal, edges)) is not None:
        edges.remove(weakest)
    return edges


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
    # The special function alone: scipy.stats takes a second to load.
    from scipy.special import stdtr

    freedom = len(before) + len(after) - 2
    spread = (variance(before) * (len(before) - 1) + variance(after) * (len(after) - 1)) / freedom
    error = math.sqrt(spread * (1 / len(before) + 1 / len(after)))
    difference = abs(fmean(after) - fmean(before))
    return 0.0 if error == 0 else float(2 * stdtr(freedom, -difference / error))


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

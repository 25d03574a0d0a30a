"""Latency curves: a percentile for every point of a scale on which each nine takes the same room."""

import math
from functools import lru_cache
from itertools import pairwise

from bakeoff.reporting.numbers import rounded
from bakeoff.results import histograms

_STEPS_A_DECADE = 10
_MS = 1_000_000

Curve = list[list[float | None]]


@lru_cache(maxsize=4096)
def _grid(decades: int) -> tuple[float, ...]:
    return tuple(10 ** (step / _STEPS_A_DECADE) for step in range(decades * _STEPS_A_DECADE + 1))


def latency_curve(encoded: str) -> Curve:
    """Points [1 ÷ (1 − percentile), ms], up to the percentile that the number of requests can tell. Empty of none.

    x is 1 at the minimum, 10 at p90, 100 at p99. A point that repeats both neighbours is left out.
    """
    histogram = histograms.merge([encoded])
    total = int(histogram.get_total_count())
    if total == 0:
        return []
    wanted = [x for x in _grid(math.ceil(math.log10(total)) + 1) if x < total]
    values = histogram.get_percentile_to_value_dict([100 * (1 - 1 / x) for x in wanted])
    points = [(x, value) for x, value in zip(wanted, (values[100 * (1 - 1 / x)] / _MS for x in wanted), strict=True)]
    points.append((float(total), histogram.get_max_value() / _MS))
    return [[rounded(x, 4), rounded(value, 4)] for x, value in _turning(points)]


def _turning(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    inner = [here for (before, here), (_, after) in pairwise(pairwise(points)) if not before[1] == here[1] == after[1]]
    return [points[0], *inner, points[-1]] if len(points) > 1 else points

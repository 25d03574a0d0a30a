"""Where a series changed its level: tables of series with known changes, and of noise with none."""

from itertools import combinations, pairwise
from statistics import pvariance

import numpy
import pytest

from bakeoff.history.trends import best_split, trend

RANDOM = numpy.random.default_rng(5)


def noisy(levels: list[tuple[int, float]], spread: float) -> list[float]:
    """So many points of each level, with this relative spread."""
    points = [level for count, level in levels for _ in range(count)]
    return [float(point * numpy.exp(RANDOM.normal(0, spread))) for point in points]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], []),
        ([100.0], []),
        ([100.0] * 5, []),
        ([100.0] * 50, []),
        ([100.0] * 3 + [50.0] * 2, []),  # too few points
        ([100.0] * 10 + [50.0] * 10, [10]),
        ([100.0] * 10 + [50.0] * 10 + [100.0] * 10, [10, 20]),
        ([100.0] * 10 + [1.0] + [100.0] * 10, []),  # one outlier is no level
        ([0.0] * 20, []),
        (noisy([(30, 1000), (30, 800)], 0.05), [30]),
        (noisy([(30, 1000), (30, 990)], 0.05), []),
        (noisy([(40, 10), (20, 14), (40, 9)], 0.03), [40, 60]),
    ],
)
def test_changes_are_found_where_they_are(values: list[float], found: list[int]) -> None:
    assert [change.index for change in trend(values)] == pytest.approx(found, abs=1)


def test_levels_are_medians_on_either_side() -> None:
    (change,) = trend([100.0] * 9 + [1000.0] + [50.0] * 10)
    assert (change.before, change.after, change.change) == (100.0, 50.0, -0.5)


def test_a_factor_counts_the_same_at_any_scale() -> None:
    small = noisy([(20, 0.2), (20, 0.3)], 0.05)
    assert [change.index for change in trend(small)] == [
        change.index for change in trend([1e6 * value for value in small])
    ]


@pytest.mark.parametrize("length", [10, 100])
def test_noise_alone_hardly_ever_is_a_change(length: int) -> None:
    alarms = sum(bool(trend(noisy([(length, 1000)], 0.1))) for _ in range(200))
    assert alarms <= 10


def test_the_split_is_the_best_of_all() -> None:
    signal = [float(each) for each in RANDOM.normal([0.0] * 5 + [2.0] * 4 + [1.0] * 5)]

    def cost(edges: list[int]) -> float:
        levels = [signal[begin:end] for begin, end in pairwise(edges)]
        return sum(pvariance(level) * len(level) + 1.5 for level in levels)

    inner = range(3, len(signal) - 2)
    cuts = [cut for count in range(4) for cut in combinations(inner, count)]
    splits = [[0, *cut, len(signal)] for cut in cuts if all(b - a >= 3 for a, b in pairwise([0, *cut, len(signal)]))]
    assert best_split(signal, 1.5) == min(splits, key=cost)

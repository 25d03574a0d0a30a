"""Figures of a histogram: ours, which are quick, against the library's mean and the definition of a percentile."""

from fractions import Fraction

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.results import histograms
from bakeoff.results.histograms import FEWEST_BEYOND, LATENCIES, PERCENTILES, is_known

HOUR_NS = 3_600_000_000_000


def histogram_of(values: list[int]) -> HdrHistogram:
    recorded = HdrHistogram(1, HOUR_NS, 3)
    for value in values:
        recorded.record_value(value)
    return histograms.merge([histograms.encode(recorded)])


@given(st.lists(st.integers(1, 10_000) | st.integers(1, HOUR_NS), min_size=1, max_size=50))
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(values: list[int]) -> None:
    histogram = histogram_of(values)
    summary = histograms.summarise(histogram)
    assert summary.count == len(values)
    assert summary.mean_ms == histogram.get_mean_value() / 1e6
    for name, percentile in PERCENTILES.items():
        share = Fraction(str(percentile)) / 100 * len(values)
        smallest = next(value for rank, value in enumerate(sorted(values), 1) if rank >= share)
        assert summary.percentiles_ms[name] == histogram.get_highest_equivalent_value(smallest) / 1e6


@pytest.mark.parametrize(
    ("count", "percentile", "expected"),
    [(6, 90.0, 6), (6, 50.0, 3), (3, 75.0, 3), (1, 0.0, 1), (100, 7.0, 7), (100, 99.0, 99), (1000, 99.9, 999)],
)
def test_ranks_are_rounded_up_and_no_further(count: int, percentile: float, expected: int) -> None:
    assert histograms.values_at(histogram_of(list(range(1, count + 1))), [percentile]) == [expected]


def test_an_empty_histogram_has_no_latencies() -> None:
    summary = histograms.summarise(histogram_of([]))
    assert (summary.count, dict(summary.shown)) == (0, dict.fromkeys(LATENCIES))


@given(st.integers(0, 300_000), st.sampled_from(sorted(LATENCIES)))
def test_a_percentile_is_known_where_enough_samples_lie_beyond_it(count: int, name: str) -> None:
    beyond = count * (1 - Fraction(str(PERCENTILES.get(name, 100))) / 100)
    assert is_known(name, count) == (count > 0 and beyond >= FEWEST_BEYOND.get(name, 0))


@given(st.integers(1, 150_000))
def test_what_is_shown_is_what_is_known(count: int) -> None:
    recorded = HdrHistogram(1, HOUR_NS, 3)
    recorded.record_value(1_000_000, count)
    shown = histograms.summarise(recorded).shown
    assert {name for name, value in shown.items() if value is not None} == {
        name for name in LATENCIES if is_known(name, count)
    }

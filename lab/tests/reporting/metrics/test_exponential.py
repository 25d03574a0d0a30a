"""Exponential histograms made from HdrHistograms: nothing is lost, and percentiles lie in the right bucket."""

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.reporting.metrics.exponential import (
    FINEST_SCALE,
    MOST_BUCKETS,
    ExponentialBuckets,
    exponential_buckets,
)
from bakeoff.results import histograms
from bakeoff.results.histograms import PERCENTILES

HOUR_NS = 3_600_000_000_000


def encoded(*values: int) -> str:
    histogram = HdrHistogram(1, HOUR_NS, 3)
    for value in values:
        histogram.record_value(value)
    return histograms.encode(histogram)


def bounds(buckets: ExponentialBuckets) -> list[tuple[float, float]]:
    """Of each latency's bucket, ascending."""
    base = 2.0 ** (2.0**-buckets.scale)
    places = enumerate(buckets.counts, buckets.offset)
    positive = [(base**place, base ** (place + 1)) for place, count in places for _ in range(count)]
    return [*[(-1.0, 0.0)] * buckets.zero_count, *positive]


@given(st.lists(st.integers(0, 10_000) | st.integers(0, HOUR_NS), min_size=1, max_size=50))
def test_every_latency_lies_in_its_bucket_and_counts_once(values: list[int]) -> None:
    histogram = histograms.merge([encoded(*values)])
    buckets = exponential_buckets(encoded(*values))
    assert (buckets.count, len(buckets.counts) <= MOST_BUCKETS) == (len(values), True)
    for value, (above, up_to) in zip(sorted(values), bounds(buckets), strict=True):
        seconds = histogram.get_highest_equivalent_value(value) / 1e9
        assert above * (1 - 1e-12) < seconds <= up_to * (1 + 1e-12)


@given(st.lists(st.integers(1, HOUR_NS), min_size=1, max_size=50))
def test_the_figures_are_those_of_the_report(values: list[int]) -> None:
    latency = histograms.summarise(histograms.merge([encoded(*values)]))
    buckets = exponential_buckets(encoded(*values))
    assert buckets.sum_s == pytest.approx(latency.mean_ms * len(values) / 1e3)
    assert (buckets.min_s, buckets.max_s) == (latency.min_ms / 1e3, latency.max_ms / 1e3)
    ranked = bounds(buckets)
    for name, percentile in PERCENTILES.items():
        above, up_to = ranked[max(-(-round(percentile * 10) * len(values) // 1000), 1) - 1]
        assert above * (1 - 1e-12) < latency.percentiles_ms[name] / 1e3 <= up_to * (1 + 1e-12)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((1_000_000,), FINEST_SCALE),
        ((1_000_000, 2_000_000), FINEST_SCALE),
        ((1_000_000, 1_000_000_000), 5),
        ((1, HOUR_NS), 2),
    ],
)
def test_the_scale_is_the_finest_that_fits(values: tuple[int, ...], scale: int) -> None:
    buckets = exponential_buckets(encoded(*values))
    assert buckets.scale == scale
    assert scale == FINEST_SCALE or len(buckets.counts) * 2 > MOST_BUCKETS


def test_no_latencies_have_no_buckets() -> None:
    buckets = exponential_buckets("")
    assert (buckets.count, buckets.counts, buckets.zero_count, buckets.sum_s) == (0, [], 0, 0.0)

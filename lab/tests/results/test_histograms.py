"""Figures of a histogram: ours, which are quick, against the library's own, which are right."""

from hdrh.histogram import HdrHistogram
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.results import histograms
from bakeoff.results.histograms import PERCENTILES

HOUR_NS = 3_600_000_000_000


def histogram_of(values: list[int]) -> HdrHistogram:
    recorded = HdrHistogram(1, HOUR_NS, 3)
    for value in values:
        recorded.record_value(value)
    return histograms.merge([histograms.encode(recorded)])


@given(st.lists(st.integers(1, 10_000) | st.integers(1, HOUR_NS), min_size=1, max_size=50))
def test_the_same_figures_as_the_library(values: list[int]) -> None:
    histogram = histogram_of(values)
    summary = histograms.summarise(histogram)
    assert summary.count == len(values)
    assert summary.mean_ms == histogram.get_mean_value() / 1e6
    assert summary.percentiles_ms == {
        name: histogram.get_value_at_percentile(percentile) / 1e6 for name, percentile in PERCENTILES.items()
    }


def test_an_empty_histogram_has_no_latencies() -> None:
    summary = histograms.summarise(histogram_of([]))
    assert (summary.count, summary.max_ms, set(summary.percentiles_ms.values())) == (0, 0.0, {0.0})

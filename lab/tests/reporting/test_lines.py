"""From histograms and seconds to lines that are short enough to draw."""

from dataclasses import replace

import pytest

from bakeoff.reporting.charts.latencies import latency_curve
from bakeoff.reporting.charts.seconds import LONGEST, timeline_of
from bakeoff.results import histograms
from bakeoff.results.run import RunResult, Second
from judgements import comparison, histogram


def test_a_curve_agrees_with_its_histogram() -> None:
    encoded = histogram(2.0)
    merged = histograms.merge([encoded])
    points = {x: value for x, value in latency_curve(encoded) if x is not None}
    for x, percentile in ((10.0, 90.0), (100.0, 99.0), (1000.0, 99.9)):
        assert points[x] == pytest.approx(merged.get_value_at_percentile(percentile) / 1e6, rel=1e-3)


def test_a_curve_ends_at_the_slowest_of_all_requests() -> None:
    x, value = latency_curve(histogram(2.0, 500))[-1]
    assert x == 500
    assert value == pytest.approx(histograms.merge([histogram(2.0, 500)]).get_max_value() / 1e6, rel=1e-3)


def test_a_curve_never_falls_and_is_short() -> None:
    points = latency_curve(histogram(2.0))
    heights = [value for _, value in points if value is not None]
    assert heights == sorted(heights)
    assert len(points) < 60


@pytest.mark.parametrize("encoded", ["", histograms.encode(histograms.merge([]))], ids=["none", "empty"])
def test_no_requests_make_no_curve(encoded: str) -> None:
    assert latency_curve(encoded) == []


def test_one_request_is_one_point() -> None:
    assert latency_curve(histogram(2.0, 1)) == [[1.0, pytest.approx(2.0, rel=1e-3)]]


def test_a_step_is_the_median_over_rounds() -> None:
    rounds = ((1, 9.0), (5, 2.0), (3, 4.0))
    (moment,) = timeline_of([_run(Second(0.0, 1, operations, 0, 1.0, p99)) for operations, p99 in rounds])
    assert (moment.at_s, moment.operations_per_s, moment.p99_ms) == (0.5, 3, 4.0)


def test_long_runs_are_drawn_in_longer_steps_that_keep_the_worst() -> None:
    seconds = [Second(float(at), 1 + at // 1_000, 10, 0, 1.0, 99.0 if at == 7 else 1.0) for at in range(2_000)]
    moments = timeline_of([_run(*seconds)])
    assert len(moments) <= LONGEST
    assert moments[0].p99_ms == 99.0
    assert {moment.operations_per_s for moment in moments} == {10}
    assert {moment.phase for moment in moments} == {1, 2}


def test_seconds_without_an_answer_have_no_latency() -> None:
    (moment,) = timeline_of([_run(Second(0.0, 1, 0, 3, None, None))])
    assert moment.p99_ms is None
    assert moment.operations_per_s == 0


def test_rounds_without_seconds_are_left_out() -> None:
    assert timeline_of([_run()]) == []
    assert timeline_of([_run(), _run(Second(0.0, 1, 5, 0, 1.0, 1.0))])[0].operations_per_s == 5


def _run(*seconds: Second) -> RunResult:
    _, stored = comparison()
    return replace(stored.runs[0].result, timeline=seconds)

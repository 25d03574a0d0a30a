"""From histograms and seconds to lines that are short enough to draw."""

import pytest

from bakeoff.reporting.charts.latencies import latency_curve
from bakeoff.reporting.charts.seconds import LONGEST, Moment, levels_of, time_charts
from bakeoff.reporting.pictures.svg import svg_of
from bakeoff.results import histograms
from bakeoff.results.run import RunResult, Second
from judgements import comparison, histogram
from made_up import measured, phase, run_of


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
    levels = levels_of([_run(Second(0.0, 1, operations, 0, 1.0, p99)) for operations, p99 in rounds])
    assert levels == {"10 users": [Moment(0.5, 3, 4.0)]}


def test_a_level_shows_its_own_seconds_wherever_it_stood_in_a_round() -> None:
    """Medians over the clock of a run would show the other level's figures."""
    first = _run(*_seconds(phase=1, start_s=0, operations=100), *_seconds(phase=2, start_s=10.5, operations=900))
    second = _run(*_seconds(phase=2, start_s=0, operations=900), *_seconds(phase=1, start_s=10.25, operations=100))
    levels = levels_of([first, second])
    assert {load: {at.operations_per_s for at in moments} for load, moments in levels.items()} == {
        "10 users": {100},
        "50 users": {900},
    }
    assert [at.at_s for at in levels["10 users"]] == [0.5, 1.5, 2.5]


def test_a_load_that_is_held_twice_has_two_levels() -> None:
    twice = [phase(1, 10, measured()), phase(2, 10, measured())]
    run = run_of(phases=twice, timeline=[*_seconds(1, 0, 5), *_seconds(2, 4, 7)])
    assert list(levels_of([run])) == ["10 users, phase 1", "10 users, phase 2"]


def test_long_levels_are_drawn_in_longer_steps_that_keep_the_worst() -> None:
    seconds = [Second(float(at), 1, 10, 0, 1.0, 99.0 if at == 7 else 1.0) for at in range(2_000)]
    moments = levels_of([_run(*seconds)])["10 users"]
    assert len(moments) <= LONGEST
    assert moments[0].p99_ms == 99.0
    assert {moment.operations_per_s for moment in moments} == {10}


def test_seconds_without_a_reply_have_no_latency() -> None:
    assert levels_of([_run(Second(0.0, 1, 0, 3, None, None))]) == {"10 users": [Moment(0.5, 0, None)]}


def test_a_line_is_broken_where_no_round_has_the_second() -> None:
    seconds = [Second(float(at), 1, 5, 0, 1.0, 1.0) for at in (0, 1, 3)]
    entry = comparison()[0].contenders[0]
    run = run_of(phases=[phase(1, 10, measured())], timeline=seconds)
    throughput, p99 = time_charts("all", [entry], {entry.key: [run]})
    assert [point[1] for point in throughput.series[0].points] == [5, 5, None, 5]
    assert [point[1] for point in p99.series[0].points] == [1, 1, None, 1]
    # The line of the legend is the third.
    assert svg_of(throughput).count('stroke-width="2.5"') == 3


def test_rounds_without_seconds_are_left_out() -> None:
    assert levels_of([_run()]) == {}
    assert levels_of([_run(), _run(Second(0.0, 1, 5, 0, 1.0, 1.0))])["10 users"][0].operations_per_s == 5


def _seconds(phase: int, start_s: float, operations: int) -> list[Second]:
    return [Second(start_s + at, phase, operations, 0, 1.0, 2.0) for at in range(3)]


def _run(*seconds: Second) -> RunResult:
    return run_of(throughputs=(1.0, 1.0), timeline=seconds)

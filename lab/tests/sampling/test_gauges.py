"""Gauges in Prometheus text, and what readings of them come to."""

import math

import pytest

from bakeoff.results.cost import Gauge
from bakeoff.sampling.gauges import GaugeReadings, Reading, gauge_between, gauge_of_spans, values_in

SECOND = 1_000_000_000
OPEN_METRICS = """\
# HELP in_flight Requests in flight: in_flight 99.
# TYPE in_flight gauge
in_flight 12
# TYPE in_flight_seconds histogram
in_flight_seconds_bucket{le="+Inf"} 7
# TYPE waiting gauge
# UNIT waiting calls
waiting 3
# EOF
"""


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (OPEN_METRICS, {"in_flight": 12, "waiting": 3}),
        ("in_flight 1.5e2", {"in_flight": 150}),
        ("in_flight -4 1395066363000\n", {"in_flight": -4}),
        ("  in_flight\t 4\r\n", {"in_flight": 4}),
        ('in_flight{worker="0"} 2\nin_flight{worker="1",} 3\n', {"in_flight": 5}),
        ('in_flight {worker="a } b \\" c", x="#"} 2', {"in_flight": 2}),
        ('in_flight{worker="0"}2', {"in_flight": 2}),
        # No figure can be made of these.
        ("in_flight NaN\nwaiting +Inf", {}),
        ("in_flight many\nwaiting", {}),
        ('in_flight{worker="0 2\nwaiting 1', {"waiting": 1}),
        ("", {}),
        # Other names, although these are parts of them.
        ("in_flight_total 3\nmy_in_flight 4\nin_flights{} 5", {}),
    ],
)
def test_values(text: str, values: dict[str, float]) -> None:
    assert values_in(text, ["in_flight", "waiting"]) == values


def test_names_are_no_patterns() -> None:
    assert values_in("aXb 1\n", ["a.b"]) == {}


READ = GaugeReadings("calls", [Reading(second * SECOND, value) for second, value in enumerate([5, 1, 2, 6, 9])])


@pytest.mark.parametrize(
    ("begin_s", "end_s", "expected"),
    [
        (1, 3, Gauge("calls", 3.0, 6, 3)),
        (0.5, 1.5, Gauge("calls", 1.0, 1, 1)),
        (0, 4, Gauge("calls", 4.6, 9, 5)),
        # What a gauge showed before or after a phase says nothing about it.
        (1.1, 1.9, None),
        (7, 9, None),
    ],
)
def test_a_gauge_between_two_instants(begin_s: float, end_s: float, expected: Gauge | None) -> None:
    assert gauge_between(READ, round(begin_s * SECOND), round(end_s * SECOND)) == expected


def test_spans_count_by_their_length() -> None:
    parts = [(Gauge("calls", 10, 12, 4), 1.0), (Gauge("calls", 20, 90, 40), 9.0)]
    assert gauge_of_spans(parts) == Gauge("calls", 19.0, 90, 44)
    assert gauge_of_spans([(gauge, 0.0) for gauge, _ in parts]) == Gauge("calls", 15.0, 90, 44)
    assert math.isclose(gauge_of_spans(parts[:1]).mean, 10)

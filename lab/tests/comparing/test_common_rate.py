"""The rate of an equal load, and how a comparison finds it."""

from dataclasses import replace

import pytest

from bakeoff.comparing.request import request_from
from bakeoff.comparing.rounds import common_rate, kept_throughput
from made_up import measured, run_result


@pytest.mark.parametrize(
    ("slowest", "rate"), [(1000.0, 700.0), (43_712.0, 31_000.0), (17_200.0, 12_000.0), (9.0, 6.3), (0.5, 0.35)]
)
def test_the_rate_is_seventy_per_cent_of_the_slowest_in_two_digits(slowest: float, rate: float) -> None:
    found, words = common_rate({"a": slowest * 3, "b": slowest, "c": slowest * 2})
    assert found == rate
    assert "70% of what b, the slowest" in words and f"{rate:,g}/s for every contender" in words


def test_the_rate_of_a_class_does_not_depend_on_the_other() -> None:
    request = replace(request_from({"mode": "equal"}), class_rates={"standard": 700.0, "tuned": 9000.0})
    assert not request.probes_rate
    for name, loads in (("standard", ["350/s", "700/s", "Maximum"]), ("tuned", ["4,500/s", "9,000/s", "Maximum"])):
        assert [phase.name for phase in request.of_class(name).phases] == loads
    # As it is stored and resumed.
    assert request_from(request.as_document()).class_rates == request.class_rates
    assert "of the tuned class" in common_rate({"a": 1000.0}, "tuned")[1]


def test_quick_adds_one_level_at_an_equal_rate_before_the_others() -> None:
    request = request_from({"mode": "quick", "equal_load": True})
    assert request.probes_rate
    (rate, *loads) = replace(request, class_rates={"standard": 700.0}).of_class("standard").phases
    assert (rate.rate_per_s, rate.virtual_users, rate.duration_s) == (700.0, 200, 10)
    assert loads == request_from({"mode": "quick"}).phases


def test_a_probe_counts_where_it_keeps_what_a_rank_needs() -> None:
    assert kept_throughput(run_result(total=measured(500))) == 500
    for total in (measured(500, failed=10), measured(500, latency_ms=6000), measured(0)):
        assert kept_throughput(run_result(total=total)) is None
    assert kept_throughput(run_result(phases=[])) is None

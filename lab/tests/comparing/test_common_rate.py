"""The rate of an equal load, and how a comparison finds it."""

import pytest

from bakeoff.comparing.rounds import common_rate, kept_throughput
from made_up import measured, run_result


@pytest.mark.parametrize(
    ("slowest", "rate"), [(1000.0, 700.0), (43_712.0, 31_000.0), (17_200.0, 12_000.0), (9.0, 6.3), (0.5, 0.35)]
)
def test_the_rate_is_seventy_per_cent_of_the_slowest_in_two_digits(slowest: float, rate: float) -> None:
    found, words = common_rate({"a": slowest * 3, "b": slowest, "c": slowest * 2})
    assert found == rate
    assert "70% of what b, the slowest" in words and f"{rate:,g}/s for every contender" in words


def test_a_probe_counts_where_it_keeps_what_a_rank_needs() -> None:
    assert kept_throughput(run_result(total=measured(500))) == 500
    for total in (measured(500, failed=10), measured(500, latency_ms=6000), measured(0)):
        assert kept_throughput(run_result(total=total)) is None
    assert kept_throughput(run_result(phases=[])) is None

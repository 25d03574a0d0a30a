"""The output of `bakeoff run` for a search for a rate."""

import pytest

from bakeoff.comparing.capacity_lines import capacity_lines
from bakeoff.comparing.rate_search import Capacity
from bakeoff.judging.capacity_search import TriedRate
from bakeoff.judging.slo import parse_slo
from bakeoff.results.findings import Finding, KindName

LATE = Finding(KindName("generator-lagged"), "warning", "Requests left late.", "The engine had too little CPU.")


@pytest.mark.parametrize(
    ("capacity", "lines"),
    [
        (
            Capacity("a", [TriedRate(rate, rate < 1010, (), rate) for rate in (1000, 1020, 1000, 1020)]),
            ["a: 1,013/s with p99<50ms,errors<5% (95 % interval 985 to 1,042/s, 4 trials)"],
        ),
        (
            Capacity("a", (TriedRate(1, False, [LATE]), TriedRate(1, False))),
            [
                "a: no rate with p99<50ms,errors<5% (2 trials)",
                "  The limit may not be the target's:",
                "  at 1/s: Requests left late. The engine had too little CPU.",
            ],
        ),
    ],
)
def test_a_limit_is_told_with_what_speaks_against_it(capacity: Capacity, lines: list[str]) -> None:
    assert list(capacity_lines(capacity, parse_slo("p99<50ms"))) == lines

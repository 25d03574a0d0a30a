from collections.abc import Callable

import pytest

from bakeoff.results.cost import Sample
from bakeoff.results.run import PhaseResult
from bakeoff.running.findings import memory_findings
from made_up import measured

SECOND_NS = 1_000_000_000


def phase(begin_s: int, end_s: int) -> PhaseResult:
    return PhaseResult(1, "Baseline", 10, begin_s * SECOND_NS, end_s * SECOND_NS, measured())


def sampled(megabytes: Callable[[int], float], seconds: int, role: str = "target") -> list[Sample]:
    return [Sample(at * SECOND_NS, role, 0.0, round(megabytes(at) * 1e6)) for at in range(seconds)]


@pytest.mark.parametrize(
    ("megabytes", "grows"),
    [
        (lambda at: 50 + at, True),
        (lambda _at: 50.0, False),
        (lambda at: 50 + 0.01 * at, False),  # less than can be claimed
        (lambda at: 500 + at, False),  # not a tenth
        (lambda at: 20 + 80 * (1 - 0.9**at), False),  # a pool that fills
        (lambda at: 50 + 40 * (at % 10), False),  # a running collector
        (lambda at: 110 - at, False),
    ],
)
def test_memory_grows_where_it_never_levels_off(megabytes: Callable[[int], float], grows: bool) -> None:
    found = memory_findings(sampled(megabytes, 60), [phase(0, 60)])
    assert [finding.kind for finding in found] == ["memory-growing"] * grows


def test_figures_are_those_of_the_phase() -> None:
    (finding,) = memory_findings(sampled(lambda at: 50 + at, 60), [phase(0, 60)])
    assert "phase 1, 60 s of one load: from 57 to 102 MB" in finding.message


def test_the_longest_phase_is_looked_at() -> None:
    growing_at_first = sampled(lambda at: min(50 + at, 90), 100)
    assert memory_findings(growing_at_first, [phase(0, 40), phase(40, 100)]) == []
    assert len(memory_findings(growing_at_first, [phase(0, 40), phase(40, 60)])) == 1


def test_nothing_is_said_of_what_was_not_seen() -> None:
    assert memory_findings(sampled(lambda at: 50 + at, 60, "engine"), [phase(0, 60)]) == []
    assert memory_findings(sampled(lambda at: 50 + at, 30), [phase(0, 60)]) == []
    assert memory_findings(sampled(lambda at: 50 + 10 * at, 10), [phase(0, 10)]) == []
    assert memory_findings([], []) == []

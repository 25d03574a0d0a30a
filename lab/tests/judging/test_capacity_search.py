import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.capacity_search import (
    CONFIRMATIONS,
    Interval,
    TriedRate,
    bracket,
    confirmation,
    contrary_findings,
    is_confirmed,
    limit_of,
    next_rate,
    ratio_of,
    with_verdict,
)
from bakeoff.results.findings import Finding, KindName
from simulated_search import Drifting, searched


@pytest.mark.parametrize(
    ("trials", "found", "following"),
    [
        ([], (None, math.inf), 1000),
        ([(1000, "+")], (1000, math.inf), 2000),
        ([(1000, "+"), (2000, "+")], (2000, math.inf), 4000),
        ([(1000, "-")], (None, 1000), 500),
        ([(1000, "+"), (4000, "-")], (1000, 4000), 2000),
        ([(1000, "-"), (250, "+")], (250, 1000), 500),
        ([(1000, "+"), (1051, "-")], (1000, 1051), pytest.approx(1025.2, abs=0.1)),
        # A step apart: the search is over.
        ([(1000, "+"), (1050, "-")], (1000, 1050), None),
        ([(1.5, "-")], (None, 1.5), 1),
        ([(1, "-")], (None, 1), None),
        # Above a rate that failed nothing counts, whatever it did.
        ([(1000, "+"), (2000, "-"), (4000, "+")], (1000, 2000), pytest.approx(1414.2, abs=0.1)),
    ],
)
def test_a_step_of_the_search(
    trials: list[tuple[float, str]], found: tuple[float | None, float], following: float | None
) -> None:
    made = [TriedRate(rate, verdict == "+") for rate, verdict in trials]
    assert bracket(made) == found
    assert next_rate(made, 1000) == following


def confirmed(limit: float, levels: int, chance: random.Random) -> list[TriedRate]:
    trials = [TriedRate(limit * 0.99, True), TriedRate(limit * 1.01, False)]
    for _ in range(levels):
        trial = confirmation(trials, chance)
        trials.append(with_verdict(trial, holds=trial.rate_per_s <= limit, findings=()))
    return trials


@given(st.floats(1.5, 1e6), st.floats(0.1, 1e6), st.integers(0, 99))
def test_the_limit_is_found_and_followed_in_few_steps(limit: float, start: float, seed: int) -> None:
    trials: list[TriedRate] = []
    while (rate := next_rate(trials, start)) is not None:
        trials.append(TriedRate(rate, rate < limit))
        assert len(trials) <= 50
    while not is_confirmed(trials):
        trial = confirmation(trials, random.Random(seed + len(trials)))
        trials.append(with_verdict(trial, holds=trial.rate_per_s < limit, findings=()))
        assert len(trials) <= 50 + 2 * CONFIRMATIONS
    found = limit_of(trials)
    assert found.mean == pytest.approx(limit, rel=0.1)
    assert found.low is not None and found.mean is not None and found.high is not None
    assert found.low < found.mean < found.high


def test_the_lowest_rate_that_fails_is_followed_by_nothing() -> None:
    trials = [TriedRate(1.0, False)]
    assert is_confirmed(trials)
    assert limit_of(trials) == Interval()


def test_confirmations_on_the_way_to_the_limit_do_not_count() -> None:
    found = [TriedRate(100, True), TriedRate(105, False)]
    climbing = [TriedRate(each, True, level_per_s=each) for each in (110.0, 120.0, 130.0, 140.0)]
    turned = [TriedRate(150, False, level_per_s=150.0), TriedRate(140, True, level_per_s=140.0)]
    again = [*turned, TriedRate(150, False, level_per_s=150.0)]
    assert limit_of([*found, *climbing]) == limit_of([*found, *climbing, *turned]) == Interval()
    mean = limit_of([*found, *climbing, *again]).mean
    assert mean == pytest.approx((150 * 140 * 150) ** (1 / 3))


def test_a_ratio_is_that_of_common_rounds() -> None:
    one, other = (confirmed(limit, 14, random.Random(seed)) for limit, seed in ((2000.0, 1), (1000.0, 2)))
    ratio = ratio_of(one, other)
    assert ratio.mean == pytest.approx(2.0, rel=0.1)
    inverse = ratio_of(other, one)
    assert inverse.mean == pytest.approx(1 / (ratio.mean or 0))
    assert ratio_of(one, other[:4]) == Interval()


@pytest.mark.parametrize(("shape", "drift"), [("steady", 0.0), ("linear", 0.1), ("wave", 0.1), ("jump", 0.1)])
def test_the_intervals_contain_the_truth_where_the_machine_drifts(shape: str, drift: float) -> None:
    """`lab/benchmarks/rate_search.py` makes the table."""
    found = [searched(Drifting(shape, drift, 0.05), seed) for seed in range(200)]
    # Of 200 with 90 % the count is at least 171 in 99 of 100 cases.
    assert sum(each.has_limit for each in found) >= 171
    assert sum(each.has_ratio for each in found) >= 171


def finding(kind: str, message: str = "") -> Finding:
    return Finding(KindName(kind), "warning", message, "")


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([], []),
        # Those that the answer comes from count, and nothing else does.
        (
            [
                TriedRate(1000, True, [finding("generator-bound")]),
                TriedRate(1200, True, [finding("noisy-machine")], 1200),
                TriedRate(1300, False, [finding("generator-lagged", "first"), finding("memory-grows")], 1300),
                TriedRate(1250, True, [finding("generator-lagged", "again"), finding("unsent")], 1200),
            ],
            [(1250, "generator-lagged", "again"), (1250, "unsent", "")],
        ),
        # Where nothing held, that may be the generator's doing too.
        ([TriedRate(1, False, [finding("unsent")])], [(1, "unsent", "")]),
    ],
)
def test_findings_are_those_of_the_trials_that_decide(
    trials: list[TriedRate], expected: list[tuple[float, str, str]]
) -> None:
    found = [(each.rate_per_s, each.finding.kind, each.finding.message) for each in contrary_findings(trials)]
    assert found == expected

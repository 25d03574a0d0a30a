import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.capacity_search import (
    Interval,
    TriedRate,
    contrary_findings,
    highest_that_holds,
    interval_of,
    next_rate,
)
from bakeoff.results.findings import Finding, KindName


def tried(rate: float, verdicts: str) -> list[TriedRate]:
    """Trials of a rate, one for each character: + held, - failed."""
    return [TriedRate(rate, verdict == "+") for verdict in verdicts]


@pytest.mark.parametrize(
    ("trials", "highest", "following"),
    [
        ([], None, 1000),
        ([(1000, "+")], 1000, 2000),
        ([(1000, "+"), (2000, "+")], 2000, 4000),
        ([(1000, "-")], None, 500),
        ([(1000, "+"), (4000, "-")], 1000, 2000),
        ([(1000, "-"), (250, "+")], 250, 500),
        ([(1000, "+"), (1051, "-")], 1000, pytest.approx(1025.2, abs=0.1)),
        # A step apart: both are confirmed, in turn.
        ([(1000, "+"), (1050, "-")], 1000, 1000),
        ([(1000, "++"), (1050, "-")], 1000, 1050),
        ([(1000, "++++++"), (1050, "-----")], 1000, 1050),
        ([(1000, "++++++"), (1050, "------")], 1000, None),
        # Three confirmations overrule the trial that found the rate, in both directions alike.
        ([(1000, "++--"), (1050, "-")], 1000, 1050),
        ([(500, "+"), (1000, "+---"), (1050, "-")], 500, pytest.approx(707.1, abs=0.1)),
        ([(1000, "+"), (1050, "-+++")], 1050, 2100),
        # Not all agree: the interval is wider than the step.
        ([(1000, "++++-+"), (1050, "------")], 1000, pytest.approx(952.4, abs=0.1)),
        ([(1000, "++++++"), (1050, "----+-")], 1000, pytest.approx(1102.5)),
        # Not even one a second, and that five times more.
        ([(1.5, "-")], None, 1),
        ([(1, "-")], None, 1),
        ([(1, "------")], None, None),
        # Above a rate that failed nothing counts, whatever it did.
        ([(1000, "+"), (2000, "-"), (4000, "+")], 1000, pytest.approx(1414.2, abs=0.1)),
    ],
)
def test_a_step(trials: list[tuple[float, str]], highest: float | None, following: float | None) -> None:
    made = [trial for rate, verdicts in trials for trial in tried(rate, verdicts)]
    assert highest_that_holds(made) == highest
    assert next_rate(made, 1000) == following


@given(st.floats(1.1, 1e6), st.floats(0.1, 1e6))
def test_the_search_finds_the_limit_in_few_steps(limit: float, start: float) -> None:
    trials: list[TriedRate] = []
    while (rate := next_rate(trials, start)) is not None:
        trials.append(TriedRate(rate, rate < limit))
        assert len(trials) <= 50
    found, interval = highest_that_holds(trials), interval_of(trials)
    assert found is not None and interval.low is not None and interval.high is not None
    assert interval.low == found < limit <= interval.high <= found * 1.05 * (1 + 1e-9)


@pytest.mark.parametrize("bad", [1, 2, 3, 6])
def test_one_moment_decides_nothing_whether_good_or_bad(bad: int) -> None:
    trials: list[TriedRate] = []
    while (rate := next_rate(trials, 1000)) is not None:
        trials.append(TriedRate(rate, (rate < 5000) != (len(trials) == bad)))
    assert highest_that_holds(trials) == pytest.approx(5000, rel=0.05)


def searched(random: np.random.Generator, width: float) -> tuple[float, Interval]:
    """A search for 5,000/s, where a trial's own limit is spread by `width` around it."""
    trials: list[TriedRate] = []
    while (rate := next_rate(trials, 1000)) is not None and len(trials) < 120:
        trials.append(TriedRate(rate, rate < 5000 * np.exp(width * random.standard_normal())))
    return highest_that_holds(trials) or 0.0, interval_of(trials)


def test_of_noisy_trials_the_answer_is_not_biased_and_the_interval_contains_the_limit() -> None:
    random = np.random.default_rng(1)
    found = [searched(random, width=0.05) for _ in range(200)]
    # The answer is the lower side of a step of a twentieth.
    assert np.mean([np.log(rate / 5000) for rate, _ in found]) == pytest.approx(-0.02, abs=0.02)
    contained = [(low or 0) <= 5000 <= (high or np.inf) for low, high in ((i.low, i.high) for _, i in found)]
    assert np.mean(contained) >= 0.9


def finding(kind: str, message: str = "") -> Finding:
    return Finding(KindName(kind), "warning", message, "")


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([], []),
        # Either side of the answer counts, and nothing else does.
        (
            [
                TriedRate(1000, True, [finding("generator-bound")]),
                TriedRate(2000, True, [finding("unsent"), finding("memory-grows")]),
                TriedRate(4000, False, [finding("generator-lagged", "first")]),
                TriedRate(4000, False, [finding("generator-lagged", "again"), finding("noisy-machine")]),
                TriedRate(8000, False, [finding("agents-not-synchronized")]),
            ],
            [(2000, "unsent", ""), (4000, "generator-lagged", "first"), (4000, "noisy-machine", "")],
        ),
        # The trial that was outvoted decided nothing.
        (
            [
                TriedRate(1000, False, [finding("noisy-machine")]),
                TriedRate(1000, True, [finding("unsent")]),
                TriedRate(1000, True),
                TriedRate(1000, True),
            ],
            [(1000, "unsent", "")],
        ),
        # Where nothing held, that may be the generator's doing too.
        ([TriedRate(1, False, [finding("unsent")]), TriedRate(1, False)], [(1, "unsent", "")]),
    ],
)
def test_findings_are_those_of_deciding_trials(trials: list[TriedRate], expected: list[tuple[float, str, str]]) -> None:
    found = [(each.rate_per_s, each.finding.kind, each.finding.message) for each in contrary_findings(trials)]
    assert found == expected

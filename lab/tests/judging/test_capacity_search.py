import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.capacity_search import Trial, doubts_about, highest_that_holds, next_rate
from bakeoff.results.run import Finding


@pytest.mark.parametrize(
    ("trials", "highest", "following"),
    [
        ([], None, 1000),
        ([(1000, True)], 1000, 2000),
        ([(1000, True), (2000, True)], 2000, 4000),
        # What failed is tried again, and where that says something else a third time.
        ([(1000, False)], None, 1000),
        ([(1000, False), (1000, False)], None, 500),
        ([(1000, False), (1000, True)], None, 1000),
        ([(1000, False), (1000, True), (1000, True)], 1000, 2000),
        ([(1000, False), (1000, True), (1000, False)], None, 500),
        ([(1000, True), (4000, False)], 1000, 4000),
        ([(1000, True), (4000, False), (4000, False)], 1000, 2000),
        ([(1000, False), (1000, False), (250, True)], 250, 500),
        # Known to within 5%.
        ([(1000, True), (1050, False), (1050, False)], 1000, None),
        ([(1000, True), (1051, False), (1051, False)], 1000, pytest.approx(1025.2, abs=0.1)),
        # Not even one a second.
        ([(1.5, False), (1.5, False)], None, 1),
        ([(1, False), (1, False)], None, None),
        # Above a rate that failed nothing counts, whatever it did.
        ([(1000, True), (2000, False), (2000, False), (4000, True)], 1000, pytest.approx(1414.2, abs=0.1)),
    ],
)
def test_a_step(trials: list[tuple[float, bool]], highest: float | None, following: float | None) -> None:
    made = [Trial(rate, holds) for rate, holds in trials]
    assert highest_that_holds(made) == highest
    assert next_rate(made, 1000) == following


@given(st.floats(1.1, 1e6), st.floats(0.1, 1e6))
def test_the_search_finds_the_limit_in_few_steps(limit: float, start: float) -> None:
    trials: list[Trial] = []
    while (rate := next_rate(trials, start)) is not None:
        trials.append(Trial(rate, rate < limit))
        assert len(trials) <= 50
    found = highest_that_holds(trials)
    assert found is not None
    assert found < limit <= found * 1.05 * (1 + 1e-9)


def test_one_bad_moment_decides_nothing() -> None:
    trials: list[Trial] = []
    while (rate := next_rate(trials, 1000)) is not None:
        bad_moment = len(trials) == 1
        trials.append(Trial(rate, rate < 5000 and not bad_moment))
    assert highest_that_holds(trials) == pytest.approx(5000, rel=0.05)


def finding(kind: str, message: str = "") -> Finding:
    return Finding(kind, "warning", message, "")


@pytest.mark.parametrize(
    ("trials", "doubts"),
    [
        ([], []),
        # Either side of the answer counts, and nothing else does.
        (
            [
                Trial(1000, True, [finding("generator-bound")]),
                Trial(2000, True, [finding("unsent"), finding("memory-grows")]),
                Trial(4000, False, [finding("generator-lagged", "first")]),
                Trial(4000, False, [finding("generator-lagged", "again"), finding("noisy-machine")]),
                Trial(8000, False, [finding("agents-apart")]),
            ],
            [(2000, "unsent", ""), (4000, "generator-lagged", "first"), (4000, "noisy-machine", "")],
        ),
        # The trial that was outvoted decided nothing.
        (
            [
                Trial(1000, False, [finding("noisy-machine")]),
                Trial(1000, True, [finding("unsent")]),
                Trial(1000, True),
            ],
            [(1000, "unsent", "")],
        ),
        # Where nothing held, that may be the generator's doing too.
        ([Trial(1, False, [finding("unsent")]), Trial(1, False)], [(1, "unsent", "")]),
    ],
)
def test_doubts_are_those_of_the_trials_that_decide(trials: list[Trial], doubts: list[tuple[float, str, str]]) -> None:
    found = [(doubt.rate_per_s, doubt.finding.kind, doubt.finding.message) for doubt in doubts_about(trials)]
    assert found == doubts

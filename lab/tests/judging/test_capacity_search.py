import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.capacity_search import Trial, highest_that_holds, next_rate


@pytest.mark.parametrize(
    ("trials", "highest", "following"),
    [
        ([], None, 1000),
        ([(1000, True)], 1000, 2000),
        ([(1000, False)], None, 500),
        ([(1000, True), (2000, True)], 2000, 4000),
        ([(1000, True), (4000, False)], 1000, 2000),
        ([(1000, False), (250, True)], 250, 500),
        # Known to within 5%.
        ([(1000, True), (1050, False)], 1000, None),
        ([(1000, True), (1051, False)], 1000, pytest.approx(1025.2, abs=0.1)),
        # Not even one a second.
        ([(1.5, False)], None, 1),
        ([(1, False)], None, None),
        # Above a rate that failed nothing counts, whatever it did.
        ([(1000, True), (2000, False), (4000, True)], 1000, pytest.approx(1414.2, abs=0.1)),
        # Of several trials of one rate most decide, and half is not most.
        ([(1000, True), (1000, False), (1000, True)], 1000, 2000),
        ([(1000, True), (1000, False)], None, 500),
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
        assert len(trials) <= 30
    found = highest_that_holds(trials)
    assert found is not None
    assert found < limit <= found * 1.05 * (1 + 1e-9)

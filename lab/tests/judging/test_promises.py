"""The error rates in METHOD.md, through the whole of `judge`, on simulated machines with a known truth.

A few comparisons of each case; `lab/benchmarks/verdicts.py` makes the table, of as many as one likes.
"""

import numpy as np
import pytest

from bakeoff.judging.estimates import bootstrap_interval
from simulated_machines import CASES, error_rates

TIMES = 40


@pytest.mark.parametrize("case", CASES)
def test_of_contenders_that_are_alike_a_difference_is_reported_one_time_in_twenty_at_most(case: str) -> None:
    wrong, _ = error_rates(CASES[case], rounds=5, contenders=6, times=TIMES)
    # Of 40 comparisons more than five are wrong by chance one time in a hundred and thirty, where two are expected.
    assert wrong * TIMES <= 5


def test_a_true_tenth_is_found() -> None:
    _, found = error_rates(CASES["equal contenders"], rounds=5, contenders=6, times=TIMES)
    assert found >= 0.8


@pytest.mark.parametrize(("rounds", "least"), [(3, 0.7), (5, 0.93), (10, 0.93)])
def test_the_interval_contains_the_true_median(rounds: int, least: float) -> None:
    random = np.random.default_rng(rounds)
    intervals = [bootstrap_interval(list(random.standard_normal(rounds))) for _ in range(2000)]
    assert sum(low <= 0 <= high for low, high in intervals) / 2000 >= least

"""The error rates in METHOD_APPENDIX.md, of whole reports, on simulated machines with a known truth.

A few comparisons of each case; `lab/benchmarks/verdicts.py` makes the table, of as many as one likes.
"""

import pytest

from simulated_machines import CASES, shares

TIMES = 20


@pytest.mark.parametrize("case", CASES)
def test_one_report_in_twenty_at_most_has_a_false_statement(case: str) -> None:
    simulated = shares(CASES[case], rounds=5, contenders=6, times=TIMES)
    # Of 40 reports more than five are wrong by chance one time in a hundred and thirty, where two are expected.
    assert (simulated.wrong_of_equals + simulated.wrong) * TIMES <= 5
    assert simulated.intervals >= 0.95


def test_a_true_fifth_is_found() -> None:
    assert shares(CASES["normal"], rounds=5, contenders=6, times=TIMES, faster=1.2).found >= 0.9

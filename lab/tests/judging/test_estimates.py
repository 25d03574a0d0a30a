import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judging.estimates import (
    estimate,
    estimate_of_known,
    estimate_of_latency,
    holm,
    ratio_of,
    student_half_width,
    student_p_value,
)
from bakeoff.judging.moderation import NONE, Prior

some_figures = st.lists(st.floats(0.001, 1e9), min_size=3, max_size=12)


@pytest.mark.parametrize(
    ("values", "median", "low", "high"),
    [
        ([5], 5, None, None),
        ([5, 7], 6, None, None),
        ([3, 1, 2], 2, 1, 3),
        ([4, 4, 4, 4], 4, 4, 4),
        ([0, 0, 0], 0, 0, 0),
        # An outlier widens one side only, and the median of ten never reaches the extremes.
        ([10, 11, 12, 13, 14, 15, 16, 17, 18, 900], 14.5, 11, 18),
    ],
)
def test_an_estimate(values: Sequence[float], median: float, low: float | None, high: float | None) -> None:
    made = estimate(values)
    assert (made.median, made.low, made.high) == (median, low, high)
    assert made.values == tuple(values)


@pytest.mark.parametrize(
    ("rounds", "left_out", "name"),
    [
        (3, 0, "75% interval"),
        (4, 0, "87% interval"),
        (5, 0, "93% interval"),
        (6, 0, "96% interval"),
        (7, 0, "98% interval"),
        (9, 1, "96% interval"),
        (10, 1, "97% interval"),
        (20, 5, "95% interval"),
    ],
)
def test_bounds_are_order_statistics_and_their_name_is_how_often_they_are_right(
    rounds: int, left_out: int, name: str
) -> None:
    made = estimate(range(rounds))
    assert (made.low, made.high, made.interval_name) == (left_out, rounds - 1 - left_out, name)
    random = np.random.default_rng(rounds)
    # Skewed, with a true median of 1.
    intervals = [estimate(np.exp(random.standard_normal(rounds))) for _ in range(2000)]
    contain = sum((each.low or 0) <= 1 <= (each.high or 0) for each in intervals) / 2000
    assert made.confidence is not None and abs(contain - made.confidence) < 0.03


def test_what_is_not_known_is_left_out() -> None:
    assert estimate_of_known([None, 3.0, None]) == estimate([3.0])
    assert estimate_of_known([None]) is None


@given(some_figures)
@settings(deadline=None)
def test_an_interval_holds_the_median_and_stays_within_the_values(values: list[float]) -> None:
    made = estimate(values)
    assert made.low is not None
    assert made.high is not None
    assert min(values) <= made.low <= made.median <= made.high <= max(values)


@given(some_figures)
@settings(deadline=None)
def test_an_interval_depends_on_the_values_alone_and_not_on_their_order(values: list[float]) -> None:
    one, other = estimate(values), estimate(values[::-1])
    assert (one.low, one.high) == (other.low, other.high)


@pytest.mark.parametrize(
    ("ratios", "median", "low", "high", "p_value"),
    [
        ([1.25], 1.25, None, None, None),
        ([1.2, 1.3], math.sqrt(1.2 * 1.3), None, None, None),
        ([2, 2, 2], 2, 2, 2, 0),
        ([1, 1, 1], 1, 1, 1, 1),
        # Logarithms 0.1, 0.2, 0.3: mean 0.2, its error 0.1/√3; Student's t with two degrees is 4.3027 at 97.5%.
        (
            [math.exp(0.1), math.exp(0.2), math.exp(0.3)],
            math.exp(0.2),
            math.exp(0.2 - 4.30265 * 0.1 / math.sqrt(3)),
            math.exp(0.2 + 4.30265 * 0.1 / math.sqrt(3)),
            0.0741799,
        ),
        # Logarithms 0 to 0.4: mean 0.2, its error √(0.025/5); Student's t with four degrees is 2.7764 at 97.5%.
        (
            [math.exp(value / 10) for value in range(5)],
            math.exp(0.2),
            math.exp(0.2 - 2.77645 * math.sqrt(0.005)),
            math.exp(0.2 + 2.77645 * math.sqrt(0.005)),
            0.047421,
        ),
    ],
)
def test_a_ratio(
    ratios: Sequence[float], median: float, low: float | None, high: float | None, p_value: float | None
) -> None:
    test = ratio_of([math.log(ratio) for ratio in ratios])
    assert test.ratio.median == pytest.approx(median)
    found = (test.ratio.low, test.ratio.high, test.p_value)
    assert found == tuple(None if each is None else pytest.approx(each, rel=1e-3) for each in (low, high, p_value))


@given(st.lists(st.floats(-0.3, 0.3), min_size=3, max_size=12))
@settings(deadline=None)
def test_the_ratio_told_of_the_other_is_its_inverse(logs: list[float]) -> None:
    one, other = ratio_of(logs), ratio_of([-value for value in logs])
    assert one.ratio.low is not None
    assert other.ratio.high is not None
    assert one.ratio.low <= one.ratio.median * (1 + 1e-12)
    assert one.ratio.median == pytest.approx(1 / other.ratio.median)
    assert one.ratio.low == pytest.approx(1 / other.ratio.high)
    assert one.p_value == pytest.approx(other.p_value)


@pytest.mark.parametrize(
    ("prior", "times", "variance", "degrees"),
    [
        (NONE, 2, 0.025, 4),
        # Two contenders have twice the variance of one: (4 × 0.025 + 4 × 2 × 0.05) / 8.
        (Prior(0.05, 4), 2, 0.0625, 8),
        (Prior(0.05, 4), 1, 0.0375, 8),
        # Worth little, it changes little.
        (Prior(1.0, 0.001), 2, 0.0255, 4.001),
    ],
)
def test_the_prior_counts_as_much_as_it_is_worth(prior: Prior, times: float, variance: float, degrees: float) -> None:
    test = ratio_of([0.0, 0.1, 0.2, 0.3, 0.4], prior, times)
    half = student_half_width(math.sqrt(variance / 5), degrees)
    assert test.ratio.low == pytest.approx(math.exp(0.2 - half), rel=1e-3)
    assert test.p_value == pytest.approx(student_p_value(0.2, math.sqrt(variance / 5), degrees), rel=1e-2)


def test_of_latencies_no_mean_is_taken() -> None:
    made = estimate_of_latency([1.0, 100.0, 2.0, 50.0])
    assert made.median == 2.0
    assert {made.median, made.low, made.high} <= set(made.values)


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([], []),
        ([None, None], [None, None]),
        ([0.04], [0.04]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.01, None, 0.02], [0.02, None, 0.02]),
        ([0.6, 0.5], [1.0, 1.0]),
    ],
)
def test_holm(p_values: list[float | None], adjusted: list[float | None]) -> None:
    assert holm(p_values) == [pytest.approx(value) for value in adjusted]


@given(st.lists(st.floats(0, 1), max_size=20))
def test_holm_makes_nothing_surer_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = [value for value in holm(p_values) if value is not None]
    assert all(before <= after <= 1 for before, after in zip(p_values, adjusted, strict=True))
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    assert all(adjusted[first] <= adjusted[second] for first, second in itertools.pairwise(order))

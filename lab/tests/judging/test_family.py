"""The family of tests: what a difference, an equivalence and a detectable difference are worth, by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.estimates import RatioTest, holm, holm_levels, ratio_of
from bakeoff.judging.family import Decision, Key, decisions_of
from bakeoff.judging.moderation import Prior

NOISE = 0.04


def decided(random: np.random.Generator, size: int, rounds: int, difference: float) -> list[Decision]:
    """The first of so many ratios has this true difference, the others none; the common variance is known well."""
    prior = Prior(NOISE**2 / 2, 8)
    logs = NOISE * random.standard_normal((size, rounds))
    logs[0] += math.log1p(difference)
    tests: dict[Key, RatioTest] = {
        (str(at),): ratio_of([float(each) for each in own], prior) for at, own in enumerate(logs)
    }
    return list(decisions_of(tests).values())


@pytest.mark.parametrize("size", [1, 15, 66])
@pytest.mark.parametrize("rounds", [3, 5, 10])
def test_a_detectable_difference_is_found_in_four_of_five_comparisons(size: int, rounds: int) -> None:
    random = np.random.default_rng([size, rounds])
    stated = [decided(random, size, rounds, 0.0)[0].detectable or 0.0 for _ in range(200)]
    found = [decided(random, size, rounds, float(np.median(stated)))[0].differs for _ in range(400)]
    assert 0.72 <= np.mean(found) <= 0.90


@pytest.mark.parametrize("size", [1, 15])
@pytest.mark.parametrize("difference", [0.0, 0.02, 0.05, 0.08])
def test_equivalence_is_claimed_wrongly_in_one_comparison_of_twenty_at_most(size: int, difference: float) -> None:
    random = np.random.default_rng(size)
    within = [decided(random, size, 10, difference)[0].equivalent_within for _ in range(400)]
    wrong = sum(each is not None and each < difference for each in within)
    assert wrong <= 400 * 0.05 + 2 * math.sqrt(400 * 0.05 * 0.95)


def test_a_tie_is_an_equivalence_only_where_a_difference_of_a_tenth_is_excluded() -> None:
    calm, noisy = (ratio_of([off * scale for off in (-0.02, -0.01, 0.0, 0.01, 0.02)]) for scale in (1, 20))
    near, far = (decisions_of({("one",): test})[("one",)] for test in (calm, noisy))
    assert (near.differs, far.differs, far.equivalent_within) == (False, False, None)
    assert near.equivalent_within == pytest.approx(math.expm1(2.776445 * 0.0158114 / math.sqrt(5)), rel=1e-4)
    assert near.ratio.high == pytest.approx(1 + (near.equivalent_within or 0))


def test_more_verdicts_in_a_report_make_each_of_them_stricter() -> None:
    one = ratio_of([0.01, 0.02, 0.03, 0.02, 0.03])
    others: dict[Key, RatioTest] = {(str(at),): ratio_of([-0.01, 0.0, 0.01]) for at in range(20)}
    alone, among = decisions_of({("one",): one})[("one",)], decisions_of({("one",): one, **others})[("one",)]
    assert alone.differs and not among.differs
    assert (among.detectable or 0) > (alone.detectable or 0)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=20))
def test_each_is_tested_at_the_level_at_which_holm_decides(p_values: list[float | None]) -> None:
    for value, adjusted, level in zip(p_values, holm(p_values), holm_levels(p_values, 0.05), strict=True):
        assert (value is None) == (level is None)
        if value is not None and level is not None and adjusted is not None:
            assert 0.05 / len(p_values) <= level <= 0.05
            assert (value <= level) == (adjusted <= 0.05) or value == pytest.approx(level)


@pytest.mark.parametrize("size", [1, 3, 15])
@pytest.mark.parametrize("rounds", [3, 5, 10])
@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_intervals_contain_the_truth_as_often_as_they_say(size: int, rounds: int, difference: float) -> None:
    """Of all ratios nineteen in twenty at least, and all that are 1 in nineteen reports of twenty."""
    random, times = np.random.default_rng([size, rounds, round(10 * difference)]), 300
    missed = reports = 0
    for _ in range(times):
        first, *others = decided(random, size, rounds, difference)
        missed += _misses(first, 1 + difference) + (wrong := sum(_misses(each, 1.0) for each in others))
        reports += wrong > 0
    assert missed / (times * size) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / times)
    assert reports / times <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / times)


def _misses(decision: Decision, truth: float) -> bool:
    low, high = decision.ratio.low, decision.ratio.high
    return not (low or 0.0) <= truth <= (math.inf if high is None else high)


def test_what_the_lab_makes_of_equals_is_within_the_interval() -> None:
    """A difference that is sure, but no more than A/A pairs have."""
    test = ratio_of([0.02, 0.021, 0.019])
    alone, among = decisions_of({("one",): test})[("one",)], decisions_of({("one",): test}, 0.03)[("one",)]
    assert alone.differs and alone.ratio.excludes_one
    assert not among.differs and among.ratio.low is not None and among.ratio.low < 1

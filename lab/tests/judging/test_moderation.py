"""The weight of a prior: the pooled variance where all are alike, hardly anything where one differs from the others."""

from collections.abc import Sequence

import numpy as np
import pytest

from bakeoff.judging.moderation import NONE, prior_of


def variances(noise: Sequence[float], degrees: int, seed: int) -> list[float]:
    random = np.random.default_rng(seed)
    return [float(each**2 * random.chisquare(degrees) / degrees) for each in noise]


def test_two_variances_tell_nothing_of_what_they_have_in_common() -> None:
    assert prior_of([1.0, 1.0], [4, 4], most_degrees=10) == NONE


def test_equal_variances_are_pooled_as_far_as_their_rounds_go() -> None:
    prior = prior_of([0.01] * 6, [4] * 6, most_degrees=16)
    assert prior.degrees == pytest.approx(3.2)
    # On the scale of logarithms: a sample's variance lies below the true one more often than above it.
    assert prior.variance == pytest.approx(0.01, rel=0.4)


@pytest.mark.parametrize(("noise", "least", "most"), [([0.03] * 6, 2.7, 3.2), ([*[0.03] * 5, 0.18], 0.2, 1.4)])
def test_the_more_contenders_differ_in_noise_the_less_they_say_of_each_other(
    noise: Sequence[float], least: float, most: float
) -> None:
    worth = [prior_of(variances(noise, 4, seed), [4] * 6, most_degrees=16).degrees for seed in range(100)]
    assert least <= float(np.median(worth)) <= most


def test_with_no_rounds_left_for_it_it_is_worth_nothing() -> None:
    assert prior_of([0.01] * 3, [2] * 3, most_degrees=0).degrees == 0

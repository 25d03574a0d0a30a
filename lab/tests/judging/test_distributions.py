"""Probabilities and quantiles against those of scipy 1.17, and against what is known in closed form."""

import math

import pytest

from bakeoff.judging.distributions import (
    digamma,
    fisher_tail,
    student_quantile,
    student_two_sided,
    tetragamma,
    trigamma,
)

EXACT = 1e-11


@pytest.mark.parametrize(
    ("t", "degrees", "probability"),
    [
        (0, 3, 1.0),
        (0.01, 3, 0.992649111412852),
        (1, 1, 0.5),  # 1 − 2 ÷ π × arctan 1
        (2.5, 4, 0.06676654481198814),
        (-2.5, 4, 0.06676654481198814),
        (12, 7.5, 3.660806455619481e-06),
        (40, 200, 2.2487396535202197e-97),
    ],
)
def test_both_tails_of_student(t: float, degrees: float, probability: float) -> None:
    assert student_two_sided(t, degrees) == pytest.approx(probability, rel=EXACT)


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    [
        (1, 12.706204736174694),
        (2, math.sqrt(2 * 0.95**2 / (1 - 0.95**2))),
        (4, 2.7764451051977934),
        (9.7, 2.237515123700105),
        (30, 2.0422724563012378),
        (1000, 1.9623390808264083),
    ],
)
def test_the_quantile_of_student(degrees: float, quantile: float) -> None:
    assert student_quantile(0.95, degrees) == pytest.approx(quantile, rel=EXACT)
    assert student_two_sided(quantile, degrees) == pytest.approx(0.05, rel=EXACT)


@pytest.mark.parametrize(
    ("f", "above", "below", "probability"),
    [
        (0, 1, 5, 1.0),
        (0.2, 2, 5, 0.824974664479918),
        (2.5, 3, 20, 0.08884375193768917),
        (4, 1, 10, 0.07338803477074037),
        (30, 4, 12, 3.6434226394380187e-06),
    ],
)
def test_the_tail_of_fisher(f: float, above: float, below: float, probability: float) -> None:
    assert fisher_tail(f, above, below) == pytest.approx(probability, rel=EXACT)


@pytest.mark.parametrize(
    ("x", "first", "second", "third"),
    [
        (0.5, -1.9635100260214235, math.pi**2 / 2, -16.828796644234316),
        (1, -0.5772156649015329, math.pi**2 / 6, -2.404113806319188),
        (4.25, 1.324683218760487, 0.26512373409656215, -0.06989568177725805),
        (50, 3.9019896734278925, 0.020201333226697128, -0.000408079989337597),
    ],
)
def test_derivatives_of_log_gamma(x: float, first: float, second: float, third: float) -> None:
    assert [digamma(x), trigamma(x), tetragamma(x)] == pytest.approx([first, second, third], rel=EXACT)

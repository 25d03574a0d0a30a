"""The Universal Scalability Law: known coefficients come back, and intervals contain what they claim to."""

from collections.abc import Sequence

import numpy as np
import pytest

from bakeoff.judging.judgement import Coefficient, UslFit
from bakeoff.judging.usl import fit_usl

COUNTS = (1, 2, 4, 8, 16, 32)
LAMBDA, SIGMA, KAPPA = 1000.0, 0.05, 0.002


def law(count: int, sigma: float, kappa: float) -> float:
    return LAMBDA * count / (1 + sigma * (count - 1) + kappa * count * (count - 1))


def rates(
    sigma: float,
    kappa: float,
    counts: Sequence[int] = COUNTS,
    noise: float = 0.0,
    rounds: int = 5,
    seed: int = 1,
) -> dict[int, dict[int, float]]:
    """Throughput by count and round: what strikes a whole round, and each of its runs, is `noise` of it."""
    random = np.random.default_rng(seed)
    weather = random.normal(0, noise, rounds)
    return {
        count: {
            number + 1: float(law(count, sigma, kappa) * np.exp(weather[number] + random.normal(0, noise)))
            for number in range(rounds)
        }
        for count in counts
    }


def fitted(given: dict[int, dict[int, float]]) -> UslFit:
    fit = fit_usl(given)
    assert isinstance(fit, UslFit), fit
    return fit


@pytest.mark.parametrize(("sigma", "kappa"), [(0.05, 0.002), (0.3, 0.0), (0.0, 0.01), (0.0, 0.0), (0.6, 0.0005)])
def test_the_coefficients_of_an_exact_curve_come_back(sigma: float, kappa: float) -> None:
    fit = fitted(rates(sigma, kappa, rounds=1))
    assert fit.rate_per_s.value == pytest.approx(LAMBDA)
    assert fit.contention.value == pytest.approx(sigma, abs=1e-9)
    assert fit.coherency.value == pytest.approx(kappa, abs=1e-9)
    assert fit.throughput_at(12) == pytest.approx(law(12, sigma, kappa))


def test_a_curve_that_peaks_has_its_peak_where_it_is() -> None:
    fit = fitted(rates(SIGMA, KAPPA, noise=0.01))
    assert fit.peak is not None
    assert fit.peak == pytest.approx(((1 - SIGMA) / KAPPA) ** 0.5, rel=0.05)
    assert fit.throughput_at(fit.peak) > max(fit.throughput_at(fit.peak - 3), fit.throughput_at(fit.peak + 3))


def test_a_curve_that_only_flattens_has_none() -> None:
    fit = fitted(rates(0.1, 0.0, noise=0.02))
    assert fit.peak is None
    assert fit.coherency.low == 0 < fit.coherency.high < 0.001


@pytest.mark.parametrize("rounds", [3, 5])
def test_intervals_contain_the_truth_as_often_as_they_claim(rounds: int) -> None:
    fits = [fitted(rates(SIGMA, KAPPA, noise=0.02, rounds=rounds, seed=seed)) for seed in range(60)]

    def covered(pick: str, truth: float) -> float:
        found: list[Coefficient] = [getattr(fit, pick) for fit in fits]
        assert all(each.low <= each.value <= each.high for each in found)
        return float(np.mean([each.low <= truth <= each.high for each in found]))

    # Of 60 intervals of 95% fewer than 51 contain the truth once in a thousand times.
    assert covered("rate_per_s", LAMBDA) >= 0.85
    assert covered("contention", SIGMA) >= 0.85
    assert covered("coherency", KAPPA) >= 0.85
    assert np.mean([not fit.describes for fit in fits]) <= 0.15


def test_what_strikes_a_whole_round_does_not_widen_the_shape() -> None:
    calm = rates(SIGMA, KAPPA, noise=0.01, rounds=3)
    stormy = {
        count: {number: rate * (1.0, 1.5, 0.7)[number - 1] for number, rate in by_round.items()}
        for count, by_round in calm.items()
    }
    one, other = fitted(calm), fitted(stormy)
    assert other.contention.low == pytest.approx(one.contention.low, rel=1e-3)
    assert other.contention.high == pytest.approx(one.contention.high, rel=1e-3)
    # How high the curve lies is as uncertain as the rounds say.
    assert other.rate_per_s.high / other.rate_per_s.low > 2 > one.rate_per_s.high / one.rate_per_s.low


def test_points_that_follow_another_law_are_not_described() -> None:
    given = rates(0.02, 0.0, noise=0.01)
    # Flat from eight on, as behind a limit of something else.
    flat = {count: dict(given[8]) if count > 8 else by_round for count, by_round in given.items()}
    fit = fitted(flat)
    assert not fit.describes
    plain = fitted(given)
    assert plain.describes
    assert fit.contention.high - fit.contention.low > 3 * (plain.contention.high - plain.contention.low)


def test_more_than_in_proportion_gives_no_negative_coefficient() -> None:
    fit = fitted({count: {1: 900.0 * count**1.1, 2: 910.0 * count**1.1} for count in COUNTS})
    assert fit.contention.value == fit.coherency.value == 0
    assert not fit.describes


def test_throughput_that_never_changes_is_contention_alone() -> None:
    fit = fitted({count: {1: 250_000.0} for count in COUNTS})
    assert fit.contention.value == pytest.approx(1.0, abs=1e-6)
    assert fit.coherency.value == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "throughput is known at none"),
        (rates(SIGMA, KAPPA, counts=(1, 2, 4)), "needs 4 counts or more, and throughput is known at 1, 2, 4"),
        ({1: {1: 5.0}, 2: {1: 0.0}, 4: {1: 7.0}, 8: {1: 8.0}}, "known at 1, 4, 8"),
    ],
)
def test_too_few_points_are_refused(given: dict[int, dict[int, float]], words: str) -> None:
    assert words in str(fit_usl(given))

"""The error rates in RESULTS.md, checked on simulated machines with a known truth."""

from collections.abc import Sequence

import numpy as np
import pytest

from bakeoff.judging.contender_rates import ContenderRates
from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import bootstrap_interval
from bakeoff.judging.noise import noise_of, spread_between_rounds
from bakeoff.judging.pairings import pairings_of

NOISE = 0.02
DIVISION = Division("w", "standard", "proven", 0, "p")
DRIFT = 0.15


def wrong_and_right(
    rounds: int, faster: float, noise: Sequence[float] = (NOISE,) * 6, times: int = 200
) -> tuple[float, float]:
    """Of comparisons of six contenders, one truly faster than five that are alike, two shares: those that claim any
    difference among the five, and those that tell the one from each of the others.
    """
    random = np.random.default_rng(rounds)
    wrong = right = 0
    for _ in range(times):
        weather = DRIFT * random.standard_normal(rounds)
        speeds = np.exp(weather + np.array(noise)[:, None] * random.standard_normal((6, rounds)))
        speeds[0] *= faster
        rates = [dict(enumerate(map(float, speed))) for speed in speeds]
        contenders = [ContenderRates(str(number), DIVISION, {}, each) for number, each in enumerate(rates)]
        spread = spread_between_rounds(rates)
        told = pairings_of(contenders, spread, noise_of(spread, rounds).smallest_claim)
        wrong += any(each.verdict != "tie" for each in told if each.one != "0")
        right += all(each.verdict == "faster" for each in told if each.one == "0")
    return wrong / times, right / times


@pytest.mark.parametrize("rounds", [3, 5, 10])
def test_of_contenders_that_are_alike_a_difference_is_claimed_one_time_in_twenty_at_most(rounds: int) -> None:
    wrong, _ = wrong_and_right(rounds, faster=1.0)
    assert wrong <= 0.05


@pytest.mark.parametrize(("rounds", "most"), [(3, 0.15), (5, 0.06), (10, 0.05)])
def test_one_contender_much_noisier_than_the_others_makes_few_wrong_claims_more(rounds: int, most: float) -> None:
    wrong, _ = wrong_and_right(rounds, faster=1.0, noise=(*(NOISE,) * 5, 6 * NOISE))
    assert wrong <= most


@pytest.mark.parametrize(("rounds", "faster"), [(3, 1.15), (5, 1.10), (10, 1.06)])
def test_a_difference_well_above_the_noise_is_seen(rounds: int, faster: float) -> None:
    _, right = wrong_and_right(rounds, faster)
    assert right >= 0.9


@pytest.mark.parametrize(("rounds", "least"), [(3, 0.7), (5, 0.9), (10, 0.93)])
def test_the_interval_holds_the_true_median(rounds: int, least: float) -> None:
    random = np.random.default_rng(rounds)
    intervals = [bootstrap_interval(list(random.standard_normal(rounds))) for _ in range(2000)]
    assert sum(low <= 0 <= high for low, high in intervals) / 2000 >= least

import math
from collections.abc import Mapping, Sequence

import pytest

from bakeoff.judging.noise import Noise, noise_between_rounds, noise_of_same_twice, round_effects

NOTHING = Noise(None, None, same_twice=False)


def test_twins_that_differ_in_one_direction_only_count_in_full() -> None:
    noise = noise_of_same_twice([math.log(1.02)] * 4, rounds=4)
    assert noise.floor == pytest.approx(0.02)
    # Student's t with four degrees is 2.776 at 97.5%; four rounds halve it.
    assert noise.smallest_claim == pytest.approx(1.02 ** (2.776445 / 2) - 1)
    assert noise.same_twice


@pytest.mark.parametrize(("ratios", "rounds"), [([], 0), ([0.01], 1), ([0.01, 0.02], 2)])
def test_few_rounds_claim_nothing(ratios: Sequence[float], rounds: int) -> None:
    assert noise_of_same_twice(ratios, rounds).smallest_claim is None


@pytest.mark.parametrize(
    "rates",
    [[], [{}], [{1: 100.0}], [{1: 100.0}, {1: 90.0}], [{1: 0.0, 2: 0.0}], [{1: 100.0, 2: 110.0}, {3: 50.0}][1:]],
)
def test_without_a_second_round_nothing_is_known(rates: Sequence[Mapping[int, float]]) -> None:
    assert noise_between_rounds(rates) == NOTHING


def test_one_contender_alone_keeps_its_whole_spread() -> None:
    noise = noise_between_rounds([{1: 100.0, 2: 100.0 * math.exp(0.02), 3: 100.0 * math.exp(0.04)}])
    # Standard deviation 0.02 of one run; of the difference of two √2 of that.
    assert noise.floor == pytest.approx(math.expm1(0.02 * math.sqrt(2)))


def test_what_strikes_all_contenders_of_a_round_is_not_noise() -> None:
    together = [{1: 100.0, 2: 80.0, 3: 120.0}, {1: 50.0, 2: 40.0, 3: 60.0}]
    assert noise_between_rounds(together).floor == pytest.approx(0, abs=1e-12)
    apart = [{1: 100.0, 2: 80.0, 3: 120.0}, {1: 50.0, 2: 60.0, 3: 40.0}]
    assert (noise_between_rounds(apart).floor or 0) > 0.2


def test_the_effect_of_a_round() -> None:
    effects = round_effects([{1: 100.0, 2: 200.0}, {1: 10.0, 2: 20.0}, {1: 7.0}])
    assert effects == {1: pytest.approx(-math.log(2) / 2), 2: pytest.approx(math.log(2) / 2)}
    assert round_effects([{1: 100.0, 2: 0.0}]) == {}
    assert round_effects([{1: 100.0}, {2: 100.0}]) == {}

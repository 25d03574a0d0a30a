import math
import statistics
from collections.abc import Mapping, Sequence

import pytest

from bakeoff.judging.estimates import Spread
from bakeoff.judging.noise import least_difference, round_effects, spread_between_rounds, spread_of_aa_pairs


def reported(spread: Spread | None) -> tuple[float, int]:
    assert spread is not None
    return round(spread.deviation, 4), spread.degrees


def test_aa_pairs_that_differ_in_one_direction_only_count_in_full() -> None:
    assert reported(spread_of_aa_pairs([math.log(1.02)] * 4)) == (0.0198, 4)
    assert spread_of_aa_pairs([]) is None


def test_the_least_difference_that_is_no_bias_of_the_lab() -> None:
    spread = Spread(math.log(1.02), 4)
    # Student's t with four degrees is 2.776 at 97.5%; four rounds halve it.
    assert least_difference(spread, rounds=4) == pytest.approx(1.02 ** (2.776445 / 2) - 1)
    assert least_difference(spread, rounds=2) is None


@pytest.mark.parametrize(
    "rates",
    [[], [{}], [{1: 100.0}], [{1: 100.0}, {1: 90.0}], [{1: 0.0, 2: 0.0}], [{1: 100.0, 2: 110.0}, {3: 50.0}][1:]],
)
def test_without_a_second_round_nothing_is_known(rates: Sequence[Mapping[int, float]]) -> None:
    assert spread_between_rounds(rates) is None


def test_one_contender_alone_keeps_its_whole_spread() -> None:
    spread = spread_between_rounds([{1: 100.0, 2: 100.0 * math.exp(0.02), 3: 100.0 * math.exp(0.04)}])
    # Standard deviation 0.02 of one run; of the difference of two √2 of that.
    assert reported(spread) == (0.0283, 2)


def test_what_strikes_all_contenders_of_a_round_is_not_noise() -> None:
    together = [{1: 100.0, 2: 80.0, 3: 120.0}, {1: 50.0, 2: 40.0, 3: 60.0}]
    assert reported(spread_between_rounds(together)) == (0, 2)
    apart = spread_between_rounds([{1: 100.0, 2: 80.0, 3: 120.0}, {1: 50.0, 2: 60.0, 3: 40.0}])
    assert apart is not None
    assert apart.deviation > 0.2


def test_of_two_contenders_the_spread_is_that_of_their_ratio() -> None:
    logs = [0.1, 0.3, -0.2, 0.05]
    spread = spread_between_rounds([dict.fromkeys(range(4), 1.0), dict(enumerate(map(math.exp, logs)))])
    assert reported(spread) == (round(statistics.stdev(logs), 4), 3)


def test_the_effect_of_a_round() -> None:
    effects = round_effects([{1: 100.0, 2: 200.0}, {1: 10.0, 2: 20.0}, {1: 7.0}])
    assert effects == {1: pytest.approx(-math.log(2) / 2), 2: pytest.approx(math.log(2) / 2)}
    assert round_effects([{1: 100.0, 2: 0.0}]) == {}
    assert round_effects([{1: 100.0}, {2: 100.0}]) == {}

from collections.abc import Sequence

import numpy as np
import pytest

from bakeoff.judging.drift import own_drifts

AGEING = [100.0, 96.0, 92.0, 89.0, 85.0]
STEADY = [200.0, 202.0, 199.0, 201.0, 200.0]
WEATHER = [1.0, 0.7, 1.2, 0.9, 1.1]


def drifts(*contenders: Sequence[float]) -> list[tuple[float, bool] | None]:
    """The change and whether it is against others, for each contender whose rounds' rates are given."""
    found = own_drifts([dict(enumerate(rates, start=1)) for rates in contenders])
    return [None if each is None else (round(each.change, 2), each.against_others) for each in found]


def in_weather(rates: Sequence[float]) -> list[float]:
    return [rate * factor for rate, factor in zip(rates, WEATHER, strict=True)]


@pytest.mark.parametrize(
    ("contenders", "expected"),
    [
        ([], []),
        ([AGEING], [(-0.15, False)]),
        ([AGEING[::-1]], [(0.17, False)]),
        ([STEADY], [None]),
        ([AGEING, STEADY], [(-0.15, True), None]),
        ([STEADY, STEADY[::-1], AGEING], [None, None, (-0.15, True)]),
        # What happens to all of them is the machine's doing.
        ([AGEING, [2 * rate for rate in AGEING]], [None, None]),
        # The others show how the rounds were.
        ([in_weather(each) for each in (STEADY, STEADY[::-1], AGEING)], [None, None, (-0.15, True)]),
        ([in_weather(AGEING)], [None]),
        # Up and down, however far, is no drift; nor is a tenth; nor what two rounds show.
        ([[100, 60, 110, 70, 100]], [None]),
        ([[100, 98, 96, 94, 92]], [None]),
        ([[100, 80]], [None]),
        ([[100, 0, 0]], [None]),
        # None was there in every round of the others.
        ([AGEING, [], []], [(-0.15, False), None, None]),
    ],
)
def test_who_drifts(contenders: list[list[float]], expected: list[tuple[float, bool] | None]) -> None:
    assert drifts(*contenders) == expected


def test_rounds_that_are_missing_are_left_out() -> None:
    ageing = {1: 100.0, 2: 96.0, 4: 89.0, 5: 85.0}
    steady = dict(enumerate(STEADY, start=1))
    (found, none) = own_drifts([ageing, steady])
    assert found is not None and (found.first, found.last) == (1, 5)
    assert none is None


def share_of_alarms(contenders: int, rounds: int, noise: float, ageing: float = 0.0, times: int = 300) -> float:
    """The share of comparisons with a drift, where the first contender alone becomes slower by `ageing` in all."""
    random = np.random.default_rng(rounds)
    alarms = 0
    for _ in range(times):
        weather = 0.15 * random.standard_normal(rounds) if contenders > 1 else np.zeros(rounds)
        speeds = weather + noise * random.standard_normal((contenders, rounds))
        speeds[0] += np.linspace(0.0, np.log(1 - ageing), rounds)
        found = own_drifts([dict(enumerate(map(float, np.exp(speed)))) for speed in speeds])
        alarms += any(each is not None for each in found) if not ageing else found[0] is not None
    return alarms / times


@pytest.mark.parametrize("contenders", [1, 2, 6])
@pytest.mark.parametrize("rounds", [3, 5, 10])
@pytest.mark.parametrize("noise", [0.02, 0.10])
def test_among_contenders_that_do_not_age_one_comparison_in_twenty_tells_of_a_drift_at_most(
    contenders: int, rounds: int, noise: float
) -> None:
    # A twentieth, and what 300 trials may show of one.
    assert share_of_alarms(contenders, rounds, noise) <= 0.05 + 2 * (0.05 * 0.95 / 300) ** 0.5


@pytest.mark.parametrize(("contenders", "rounds"), [(1, 5), (6, 10)])
def test_a_target_that_loses_a_fifth_is_seen(contenders: int, rounds: int) -> None:
    assert share_of_alarms(contenders, rounds, noise=0.02, ageing=0.2) >= 0.9

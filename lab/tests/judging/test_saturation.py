"""The documented saturation point: where throughput plateaus, or errors spike."""

from collections.abc import Mapping

import pytest

from bakeoff.judging.capacity import saturation_of
from bakeoff.judging.judge import judge
from bakeoff.results.run import Measured
from made_up import comparison_of, level, measured, phase, run_of

SPIKE = measured(2000, failed=2500)
TENTH = measured(900, failed=1000)


@pytest.mark.parametrize(
    ("by_users", "users", "beyond", "is_spike"),
    [
        ({10: 500, 50: 1000, 100: 1010, 200: 990}, 50, 100, False),
        ({10: 500, 50: 1000, 100: 800}, 50, 100, False),
        ({10: 500, 50: 1000, 100: 2000}, 100, None, False),
        # A dip on the way up is no plateau.
        ({10: 500, 50: 490, 100: 1000, 200: 1000}, 100, 200, False),
        ({10: 500, 50: 1000, 100: SPIKE}, 50, 100, True),
        # One in ten is allowed, and one more is not.
        ({10: 500, 50: TENTH}, 50, None, False),
        ({10: 500, 50: measured(890, failed=1000)}, 10, 50, True),
    ],
)
def test_the_point(by_users: Mapping[int, float | Measured], users: int, beyond: int | None, is_spike: bool) -> None:
    levels = [level(at, each if isinstance(each, Measured) else measured(each)) for at, each in by_users.items()]
    found = saturation_of(levels)
    assert found is not None
    assert found.level.virtual_users == users
    assert (found.beyond and found.beyond.virtual_users) == beyond
    assert found.is_spike is is_spike


def test_one_level_and_arrival_rates_have_none() -> None:
    assert saturation_of([]) is None
    assert saturation_of([level(10, measured(100))]) is None
    assert saturation_of([level(10, SPIKE), level(50, SPIKE)]) is None
    assert saturation_of([level(0, measured(100), rate=100.0), level(0, measured(200), rate=200.0)]) is None


@pytest.mark.parametrize(
    ("mode", "last", "words"),
    [
        ("quick", measured(1000), None),
        ("saturation", measured(1010), "saturated at 50 users: throughput reaches its plateau with 1,000 operations/s"),
        ("saturation", measured(2000), "not saturated: 200 users reach 2,000 operations/s"),
        ("saturation", SPIKE, "saturated at 50 users (1,000 operations/s): at 200 users errors spike"),
    ],
)
def test_the_finding(mode: str, last: Measured, words: str | None) -> None:
    phases = [phase(1, 10, measured(500)), phase(2, 50, measured(1000)), phase(3, 200, last)]
    (contender,) = judge(comparison_of(run_of(phases=phases, mode=mode))).contenders
    found = [each.message for each in contender.findings if each.kind == "saturation-point"]
    assert found == [] if words is None else words in found[0]

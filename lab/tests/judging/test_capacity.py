from collections.abc import Sequence

import pytest

from bakeoff.judging.capacity import best_level, breaking_users, optimal_users
from bakeoff.judging.judgement import Level
from bakeoff.judging.slo import broken, figures_over, parse_slo
from bakeoff.results.run import Measured
from made_up import histogram_of, level, measured

SLO = parse_slo("p99<50ms,errors<1%")
SLOW = histogram_of(80.0)


def levels(*figures: tuple[int, float] | tuple[int, float, str]) -> tuple[list[Level], list[Level]]:
    """Levels of users and throughput, and those that keep the objectives; a third word says what is wrong with one."""
    made, keeping = [], []
    for users, throughput, *wrong in figures:
        part = measured(throughput, histogram=SLOW) if wrong == ["slow"] else _with_errors(throughput, wrong)
        made.append(level(users, part))
        if not broken(SLO, figures_over([part])):
            keeping.append(made[-1])
    return made, keeping


def _with_errors(throughput: float, wrong: Sequence[str]) -> Measured:
    return measured(throughput, failed=100 if wrong else 0)


@pytest.mark.parametrize(
    ("given", "best", "sustainable", "optimal", "breaking"),
    [
        ([], None, None, None, None),
        ([(10, 500.0)], 500, 500, 10, None),
        ([(10, 500.0), (50, 960.0), (200, 1000.0)], 1000, 1000, 50, None),
        ([(10, 500.0), (50, 940.0), (200, 1000.0)], 1000, 1000, 200, None),
        # Equal: the fewer users.
        ([(10, 500.0), (50, 500.0)], 500, 500, 10, None),
        # A plateau is not a fall, a tenth below the best is none yet.
        ([(10, 1000.0), (50, 950.0), (200, 900.0)], 1000, 1000, 10, None),
        ([(10, 1000.0), (50, 950.0), (200, 899.0)], 1000, 1000, 10, 200),
        # The best is beyond the limits.
        ([(10, 500.0), (50, 900.0), (200, 1000.0, "slow")], 1000, 900, 50, 200),
        ([(10, 500.0), (50, 900.0, "errors"), (200, 1000.0)], 1000, 1000, 200, 50),
        ([(10, 500.0, "slow")], 500, None, None, 10),
        # Near the best, but beyond the limits.
        ([(10, 960.0, "slow"), (50, 1000.0)], 1000, 1000, 50, 10),
        # Whatever the order in which the levels were held.
        ([(200, 1000.0), (10, 500.0), (50, 960.0)], 1000, 1000, 50, None),
    ],
)
def test_the_closed_model(
    given: list[tuple[int, float]],
    best: float | None,
    sustainable: float | None,
    optimal: int | None,
    breaking: int | None,
) -> None:
    made, keeping = levels(*given)
    assert [
        None if found is None else found.throughput_per_s.median for found in (best_level(made), best_level(keeping))
    ] == [best, sustainable]
    assert optimal_users(keeping) == optimal
    assert breaking_users(made, keeping) == breaking


def test_the_open_model_has_no_best_number_of_users() -> None:
    made = [level(64, measured(rate, histogram=histogram_of(1.0)), rate=rate) for rate in (1000, 2000)]
    assert optimal_users(made) is None
    assert breaking_users(made, made) is None

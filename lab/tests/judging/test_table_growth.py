"""A decline that the stored rows explain is no effect of the load."""

from collections.abc import Sequence

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.table_growth import growth_of
from bakeoff.results.run import RunResult, Second
from made_up import comparison_of, measured, phase, run_of


def run(
    rates: Sequence[float], at_ends: Sequence[tuple[float, float]], rows: int = 50_000, number: int = 1
) -> RunResult:
    """Ten seconds at each rate, with ten users, then fifty, …; each second between the two ends of its phase."""
    phases = [phase(place, 10 * place, measured(rate)) for place, rate in enumerate(rates, start=1)]
    timeline = [
        Second(float(10 * place + at), place + 1, round(first + (last - first) * at / 9), 0, 1.0, 2.0)
        for place, (first, last) in enumerate(at_ends)
        for at in range(10)
    ]
    activity = {"rows_inserted": rows, "rows_updated": 0}
    return run_of("go-rest", number=number, phases=phases, timeline=timeline, database_activity=activity)


# As measured: the same load three times, 2,257 → 1,497/s.
GROWS = ([2257, 1850, 1497], [(2450, 2050), (2040, 1660), (1650, 1340)])


def test_a_decline_within_phases_is_the_table_s() -> None:
    growth = growth_of(run(*GROWS))
    assert growth is not None
    assert growth.change == pytest.approx(1497 / 2257 - 1)
    assert growth.within_phases > 0.8


@pytest.mark.parametrize(
    ("rates", "ends", "rows"),
    [
        # It falls from phase to phase, and within none of them: that is the load.
        ([2257, 1850, 1497], [(2257, 2257), (1850, 1850), (1497, 1497)], 50_000),
        # Nothing was inserted.
        (*GROWS, 10),
        # It rises with the load.
        ([1000, 1500, 2000], [(1000, 1000), (1500, 1500), (2000, 2000)], 50_000),
        # It falls within one phase alone.
        ([2257, 1850, 1497], [(2450, 2050), (1850, 1850), (1497, 1500)], 50_000),
    ],
)
def test_other_declines_are_not(rates: list[float], ends: list[tuple[float, float]], rows: int) -> None:
    assert growth_of(run(rates, ends, rows)) is None


def test_a_run_of_one_phase_or_without_seconds_tells_nothing() -> None:
    assert growth_of(run([2257], [(2450, 2050)])) is None
    assert growth_of(run(GROWS[0], [])) is None


def test_the_finding_takes_the_breaking_point_back() -> None:
    (contender,) = judge(comparison_of(*(run(*GROWS, number=number) for number in (1, 2, 3)))).contenders
    (finding,) = [each for each in contender.findings if each.kind == "table-growth"]
    assert "Throughput fell by 34% while 50,000 rows were inserted" in finding.message
    assert contender.breaking_users is None
    few = judge(comparison_of(*(run(*GROWS, rows=0, number=number) for number in (1, 2, 3)))).contenders[0]
    assert few.breaking_users == 20

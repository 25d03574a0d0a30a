"""A run's record of PostgreSQL and of the machine, and its gaps."""

import itertools
from typing import Any

import pytest
from hypothesis import given

from arbitrary_runs import run_results
from bakeoff.results.machine_state import MachineFigures
from bakeoff.results.observed import database_figures, machine_figures, medians
from bakeoff.results.run import RunResult
from made_up import run_of
from observations import ACTIVITY, STATE


def test_what_postgresql_did_is_told_for_each_operation() -> None:
    figures = database_figures(run_of(database_activity=ACTIVITY))
    assert figures is not None
    assert figures.wal_bytes_each == 400.0
    assert figures.commits_each == 0.25
    assert figures.operations_per_commit == 4.0
    assert (figures.rows_inserted, figures.rows_updated, figures.rows_deleted) == (600, 400, 0)
    assert (figures.hot_update_share, figures.checkpoints) == (0.9, 2)


def test_the_longest_waits_come_first_however_they_were_stored() -> None:
    shares = {"LWLock:WALWrite": 0.1, "Lock:extend": 0.05, "IO:WalSync": 0.25, "CPU": 0.6}
    figures = database_figures(run_of(database_activity={**ACTIVITY, "wait_shares": shares}))
    assert figures is not None
    assert list(figures.waits) == ["CPU", "IO:WalSync", "LWLock:WALWrite", "Lock:extend"]


def test_what_the_machine_was_like() -> None:
    told_elsewhere = {"clock_jump_s", "outside_phases_s"}
    assert machine_figures(run_of(machine_state=STATE)) == MachineFigures(
        **{name: value for name, value in STATE.items() if name not in told_elsewhere}
    )


def test_a_run_without_a_record_has_no_figures() -> None:
    assert database_figures(run_of()) is None
    assert machine_figures(run_of()) is None


@pytest.mark.parametrize("lacking", [{}, {"operations": 0, "commits": 0}, {"operations": None}])
def test_what_a_record_lacks_is_unknown_and_not_zero(lacking: dict[str, Any]) -> None:
    figures = database_figures(run_of(database_activity=lacking))
    assert figures is not None
    assert {name for name, value in vars(figures).items() if value is not None} == {"waits"}
    assert figures.waits == {}


def test_rounds_together_are_their_medians_and_the_mean_of_their_waits() -> None:
    rounds = [
        database_figures(run_of(database_activity={**ACTIVITY, "checkpoints": checkpoints, "wait_shares": waits}))
        for checkpoints, waits in ((1, {"CPU": 1.0}), (5, {"IO:WalSync": 0.4, "CPU": 0.6}), (2, {"CPU": 1.0}))
    ]
    together = medians([figures for figures in rounds if figures is not None])
    assert together is not None
    assert together.checkpoints == 2
    assert together.wal_bytes_each == 400.0
    assert together.waits == pytest.approx({"CPU": 2.6 / 3, "IO:WalSync": 0.4 / 3})


def test_medians_leave_out_rounds_that_lack_a_figure() -> None:
    states = [STATE, {**STATE, "steal_percent": 0.31}, {"speed_mb_s": 1750.4}]
    rounds = [machine_figures(run_of(machine_state=state)) for state in states]
    together = medians([figures for figures in rounds if figures is not None])
    assert together is not None
    assert together.steal_percent == pytest.approx(0.21)
    assert medians([]) is None


@given(run=run_results())
def test_whatever_a_record_holds_its_figures_are_numbers(run: RunResult) -> None:
    records = [vars(record) for record in (database_figures(run), machine_figures(run)) if record is not None]
    for name, value in itertools.chain.from_iterable(record.items() for record in records):
        assert name == "waits" or value is None or isinstance(value, int | float)

"""Observations of a run beside its requests: PostgreSQL's own counts, and the machine's condition.

The record of a run that was stored before a figure existed lacks it: the figure is None there.
"""

import statistics
from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, TypeVar, cast

from bakeoff.results.run import RunResult

_WAITS: Literal["waits"] = "waits"


class DatabaseFigures(TypedDict):
    """PostgreSQL's own view, warm-up and phases together. `each`: for each acknowledged operation.

    `hot_update_share` are the updates that touched no index. `waits` are shares of the time of sessions that were at
    work, by what they waited for or the CPU, the longest first.
    """

    wal_bytes_each: float | None
    commits_each: float | None
    operations_per_commit: float | None
    rows_inserted: float | None
    rows_updated: float | None
    rows_deleted: float | None
    hot_update_share: float | None
    checkpoints: float | None
    waits: dict[str, float]


class MachineFigures(TypedDict):
    """The machine around the run. CPU is per cent of one core, pressure per cent of the time.

    `speed_mb_s` is how fast one core hashed just before.
    """

    speed_mb_s: float | None
    load_average_before: float | None
    steal_percent: float | None
    other_cpu_percent: float | None
    lab_cpu_percent: float | None
    sampling_cpu_percent: float | None
    cpu_pressure_percent: float | None
    io_pressure_percent: float | None
    memory_pressure_percent: float | None


_Figures = TypeVar("_Figures", DatabaseFigures, MachineFigures)


def database_figures(run: RunResult) -> DatabaseFigures | None:
    """PostgreSQL activity; None where it was not asked."""
    activity = run.database_activity
    if activity is None:
        return None
    commits, operations = activity.commits, activity.operations
    return {
        "wal_bytes_each": activity.wal_bytes_per_operation,
        "commits_each": commits / operations if commits is not None and operations else None,
        "operations_per_commit": activity.operations_per_commit,
        "rows_inserted": activity.rows_inserted,
        "rows_updated": activity.rows_updated,
        "rows_deleted": activity.rows_deleted,
        "hot_update_share": activity.hot_update_share,
        "checkpoints": activity.checkpoints,
        "waits": _longest_first(activity.wait_shares),
    }


def machine_figures(run: RunResult) -> MachineFigures | None:
    """The machine's condition; None where it was not recorded."""
    state = run.machine_state
    if state is None:
        return None
    return {
        "speed_mb_s": state.speed_mb_s,
        "load_average_before": state.load_average_before,
        "steal_percent": state.steal_percent,
        "other_cpu_percent": state.other_cpu_percent,
        "lab_cpu_percent": state.lab_cpu_percent,
        "sampling_cpu_percent": state.sampling_cpu_percent,
        "cpu_pressure_percent": state.cpu_pressure_percent,
        "io_pressure_percent": state.io_pressure_percent,
        "memory_pressure_percent": state.memory_pressure_percent,
    }


def medians(rounds: Sequence[_Figures]) -> _Figures | None:
    """Rounds together: the median of each figure over those that know it, of waits the mean. None of no rounds."""
    if not rounds:
        return None
    figures = [{name: value for name, value in each.items() if name != _WAITS} for each in rounds]
    waits = [cast("Mapping[str, float]", shares) for each in rounds if (shares := each.get(_WAITS)) is not None]
    together = {name: _median([cast("float | None", each[name]) for each in figures]) for name in figures[0]}
    return cast("_Figures", {**together, _WAITS: _mean_shares(waits)} if waits else together)


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _mean_shares(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the rounds that were looked at."""
    looked = [shares for shares in rounds if shares]
    names = {name for shares in looked for name in shares}
    return _longest_first({name: sum(shares.get(name, 0.0) for shares in looked) / len(looked) for name in names})


def _longest_first(shares: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))

"""What was observed of a run beside its requests: what PostgreSQL counted, and what the machine was like.

The record of a run that was stored before a figure existed lacks it: the figure is None there.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, TypeVar, cast

from bakeoff.results.run import RunResult

_WAITS = "waits"


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
    """What PostgreSQL did; None where nobody asked it."""
    activity = run.database_activity
    if activity is None:
        return None
    commits, operations = _number(activity, "commits"), _number(activity, "operations")
    return {
        "wal_bytes_each": _number(activity, "wal_bytes_per_operation"),
        "commits_each": commits / operations if commits is not None and operations else None,
        "operations_per_commit": _number(activity, "operations_per_commit"),
        "rows_inserted": _number(activity, "rows_inserted"),
        "rows_updated": _number(activity, "rows_updated"),
        "rows_deleted": _number(activity, "rows_deleted"),
        "hot_update_share": _number(activity, "hot_update_share"),
        "checkpoints": _number(activity, "checkpoints"),
        "waits": _longest_first(_shares(activity)),
    }


def machine_figures(run: RunResult) -> MachineFigures | None:
    """What the machine was like; None where nobody looked."""
    state = run.machine_state
    if state is None:
        return None
    return cast("MachineFigures", {name: _number(state, name) for name in MachineFigures.__annotations__})


def medians(rounds: Sequence[_Figures]) -> _Figures | None:
    """Rounds together: the median of each figure over those that know it, of waits the mean. None of no rounds."""
    if not rounds:
        return None
    records = [cast("Mapping[str, Any]", figures) for figures in rounds]
    together: dict[str, Any] = {
        name: _median([each[name] for each in records]) for name in records[0] if name != _WAITS
    }
    if _WAITS in records[0]:
        together[_WAITS] = _mean_shares([each[_WAITS] for each in records])
    return cast("_Figures", together)


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def _mean_shares(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the rounds that were looked at."""
    looked = [shares for shares in rounds if shares]
    names = {name for shares in looked for name in shares}
    return _longest_first({name: sum(shares.get(name, 0.0) for shares in looked) / len(looked) for name in names})


def _shares(activity: Mapping[str, Any]) -> dict[str, float]:
    shares = activity.get("wait_shares")
    if not isinstance(shares, Mapping):
        return {}
    return {str(name): share for name in shares if (share := _number(shares, name)) is not None}


def _longest_first(shares: Mapping[str, float]) -> dict[str, float]:
    return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


def _number(record: Mapping[str, Any], name: str) -> float | None:
    value = record.get(name)
    is_figure = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return value if is_figure else None

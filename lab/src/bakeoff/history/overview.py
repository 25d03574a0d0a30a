"""The metrics database at a glance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bakeoff.history.run_figures import RunFigures, read_figures
from bakeoff.postgres.server import Server

# One pass over an index; the few groups are added up here, which costs half of what GROUPING SETS does.
_COUNTS = """
SELECT target, test_mode, status, count(*), min(started_at), max(started_at)
FROM test_runs
GROUP BY target, test_mode, status
ORDER BY target, test_mode, status
"""

# One look into the index for each target, however long its history is.
_LATEST_OF_EACH = """
SELECT latest.*
FROM (SELECT DISTINCT target FROM test_runs) AS each
CROSS JOIN LATERAL (
    SELECT * FROM run_figures
    WHERE target = each.target
      AND status = 'completed'
      AND (mode = %(mode)s OR (%(mode)s::text IS NULL AND mode NOT IN ('smoke', 'count')))
      AND (%(payload)s::text IS NULL OR payload = %(payload)s)
    ORDER BY started_at DESC, id DESC
    LIMIT 1
) AS latest
ORDER BY latest.workload, latest.best_throughput_per_s DESC NULLS LAST
"""


@dataclass(frozen=True)
class RunCounts:
    """Runs of one target, or of all: how many, how many of them completed, and when the first and the last began."""

    runs: int
    completed: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True)
class Overview:
    """Counts of the metrics database."""

    all: RunCounts
    comparisons: int
    bytes: int
    targets: Mapping[str, RunCounts]
    modes: Mapping[str, int]
    statuses: Mapping[str, int]


_Group = tuple[str, str, str, int, datetime, datetime]
"""Runs of one target, mode and status: these, how many, and when the first and the last began."""


def overview(server: Server) -> Overview:
    """Counts over everything that is stored."""
    with server.connect() as connection:
        groups: list[_Group] = connection.execute(_COUNTS).fetchall()
        sizes = connection.execute(
            "SELECT (SELECT count(*) FROM comparisons), pg_database_size(current_database())"
        ).fetchone()
    assert sizes is not None
    modes: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    targets: dict[str, list[_Group]] = {}
    for group in groups:
        target, mode, status, runs, *_ = group
        modes[mode] += runs
        statuses[status] += runs
        targets.setdefault(target, []).append(group)
    by_target = {name: _counted(own) for name, own in targets.items()}
    return Overview(
        _counted(groups), sizes[0], sizes[1], by_target, dict(sorted(modes.items())), dict(sorted(statuses.items()))
    )


def _counted(groups: Sequence[_Group]) -> RunCounts:
    return RunCounts(
        runs=sum(runs for *_, runs, _, _ in groups),
        completed=sum(runs for *_, status, runs, _, _ in groups if status == "completed"),
        first=min((first for *_, first, _ in groups), default=None),
        last=max((last for *_, last in groups), default=None),
    )


def latest_of_each_target(server: Server, mode: str | None, payload: str | None) -> Sequence[RunFigures]:
    """The latest completed run of each target, by workload, the highest throughput first.

    Smoke runs count only when asked for.
    """
    return read_figures(server, _LATEST_OF_EACH, {"mode": mode, "payload": payload})

"""Old runs are removed, by age, by number, or by both, and the files that they have left."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bakeoff.judging.fastest import store_fastest
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.run import file_stem
from bakeoff.storage.metrics_store import MetricsStore

# A run goes when every rule that was given lets it go: with both, the newest of each target stay however old they are.
_DOOMED = """
SELECT id, target, started_at, test_mode, payload_size
FROM (
    SELECT id, target, started_at, test_mode, payload_size,
        row_number() OVER (PARTITION BY target ORDER BY started_at DESC, id DESC) AS age
    FROM test_runs
) AS ranked
WHERE (%(days)s::float IS NULL OR started_at < now() - make_interval(secs => %(days)s::float * 86400))
  AND (%(keep)s::int IS NULL OR age > %(keep)s)
  AND (%(target)s::text IS NULL OR target = %(target)s)
"""

_TOTALS = """
SELECT target, count(*) FROM test_runs
WHERE %(target)s::text IS NULL OR target = %(target)s
GROUP BY target ORDER BY target
"""

_DELETE = "DELETE FROM test_runs WHERE id = ANY(%s) RETURNING comparison_id"

_DELETE_EMPTIED = """
DELETE FROM comparisons
WHERE id = ANY(%s) AND NOT EXISTS (SELECT FROM test_runs WHERE comparison_id = comparisons.id)
RETURNING id
"""


@dataclass(frozen=True)
class TargetCleanup:
    """The runs of one target that go, when the oldest and newest of them began, and those that stay."""

    target: str
    removed: int
    kept: int
    oldest_removed: datetime | None
    newest_removed: datetime | None
    file_stems: Sequence[str] = ()


def clean_up(
    server: Server, days: float | None, keep: int | None, execute: bool, target: str | None = None
) -> Sequence[TargetCleanup]:
    """Counts of removed and kept runs by target; removes it when `execute` says so, all or nothing.

    `days`: only runs older than that. `keep`: never the newest so many of a target. At least one is given. With
    `target`, only runs of that. `file_stems` are what the names of the removed runs' files begin with.
    """
    left: set[int] = set()
    values = {"days": days, "keep": keep, "target": target}
    with server.connect() as connection, connection.transaction():
        # The runs that are shown are those that go, whatever is stored meanwhile.
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        doomed: dict[str, list[tuple[datetime, str, str]]] = {}
        ids = []
        for run_id, name, *run in connection.execute(_DOOMED, values).fetchall():
            ids.append(run_id)
            doomed.setdefault(name, []).append((run[0], run[1], run[2]))
        totals = connection.execute(_TOTALS, values).fetchall()
        if execute:
            left = {comparison for (comparison,) in connection.execute(_DELETE, [ids]).fetchall()}
            left -= {emptied for (emptied,) in connection.execute(_DELETE_EMPTIED, [list(left)]).fetchall()}
    for comparison_id in left:
        store_fastest(MetricsStore(server), comparison_id)
    return [_cleanup(name, total, doomed.get(name, [])) for name, total in totals]


def _cleanup(target: str, total: int, runs: Sequence[tuple[datetime, str, str]]) -> TargetCleanup:
    began = [started_at for started_at, _, _ in runs]
    stems = [file_stem(*run) for run in runs]
    removed, oldest, newest = len(runs), min(began, default=None), max(began, default=None)
    return TargetCleanup(target, removed, total - removed, oldest, newest, stems)


def files_of(project: Project, stems: Mapping[str, Sequence[str]]) -> list[Path]:
    """The files of runs, by target and by what their names begin with, and the logs of targets without other runs."""
    found: list[Path] = []
    for target, own in stems.items():
        folder = project.results / target
        wanted = set(own)
        here = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
        removed = [path for path in here if any(_belongs(path.name, stem) for stem in wanted)]
        found += removed
        if removed and len(removed) == len(here):
            found += [log for log in _logs(project, target) if log.is_file()]
    return sorted(found)


def size_of(files: Iterable[Path]) -> int:
    """Bytes that they take."""
    return sum(path.stat().st_size for path in files if path.is_file())


def _belongs(name: str, stem: str) -> bool:
    # The next character ends the payload's name: 8k is not the beginning of 8k-nested.
    return name.startswith((f"{stem}.", f"{stem}-metrics."))


def _logs(project: Project, target: str) -> list[Path]:
    return [project.logs / f"{target}-{what}.log" for what in ("conformance", "durability")]

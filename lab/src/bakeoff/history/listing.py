"""Runs as a list, newest first, a page at a time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bakeoff.errors import NotFoundError
from bakeoff.history.run_figures import RunFigures, read_figures
from bakeoff.postgres.server import Server
from bakeoff.project import COMMAND
from bakeoff.results.labels import labels_of, matches, refuse_unmatched
from bakeoff.results.stack import parts_in

_PAGE = """
SELECT * FROM run_figures
WHERE (%(target)s::text IS NULL OR target = %(target)s)
  AND (%(mode)s::text IS NULL OR mode = %(mode)s)
  AND (%(payload)s::text IS NULL OR payload = %(payload)s)
  AND (%(labelled)s::text[] IS NULL OR target = ANY(%(labelled)s))
  AND (%(before)s::bigint IS NULL
       OR (started_at, id) < (SELECT started_at, id FROM test_runs WHERE id = %(before)s))
ORDER BY started_at DESC, id DESC
LIMIT %(limit)s
"""
_BY_ID = "SELECT * FROM run_figures WHERE id = %s"


@dataclass(frozen=True)
class RunFilter:
    """Which runs are wanted; None: all. `labelled` are targets that labels have chosen."""

    target: str | None = None
    mode: str | None = None
    payload: str | None = None
    labelled: Sequence[str] | None = None


@dataclass(frozen=True)
class Page:
    """Some runs, newest first, and whether there are older ones."""

    runs: Sequence[RunFigures]
    more: bool


def list_runs(server: Server, wanted: RunFilter, limit: int, before: int | None = None) -> Page:
    """The newest runs, or with `before` those older than that run."""
    values = {**asdict(wanted), "before": before, "limit": limit + 1}
    runs = read_figures(server, _PAGE, values)
    if not runs and before is not None and not read_figures(server, _BY_ID, [before]):
        raise NotFoundError(f"--before: there is no run {before}. Use an id from {COMMAND} runs list.")
    return Page(runs[:limit], len(runs) > limit)


_LABELLED = """
SELECT DISTINCT target, workload, language, protocol, target_class, coalesce(environment ->> 'stack', '')
FROM test_runs
"""


def labelled_targets(server: Server, where: Sequence[str]) -> list[str]:
    """The targets that have runs whose labels meet the conditions. Raises UsageError where there is none."""
    with server.connect() as connection:
        rows = connection.execute(_LABELLED).fetchall()
    found = [
        (target, labels_of(workload, language, protocol, target_class, parts_in(stack)))
        for target, workload, language, protocol, target_class, stack in rows
    ]
    refuse_unmatched((labels for _, labels in found), where)
    return sorted({target for target, labels in found if matches(labels, where)})


def known_targets(server: Server) -> list[str]:
    """The targets that have runs."""
    with server.connect() as connection:
        return [name for (name,) in connection.execute("SELECT DISTINCT target FROM test_runs ORDER BY 1").fetchall()]

"""Runs as a list, newest first, a page at a time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bakeoff.errors import NotFoundError
from bakeoff.history.run_figures import RunFigures, read_figures
from bakeoff.postgres.server import Server
from bakeoff.project import COMMAND

_PAGE = """
SELECT * FROM run_figures
WHERE (%(target)s::text IS NULL OR target = %(target)s)
  AND (%(mode)s::text IS NULL OR mode = %(mode)s)
  AND (%(payload)s::text IS NULL OR payload = %(payload)s)
  AND (%(before)s::bigint IS NULL
       OR (started_at, id) < (SELECT started_at, id FROM test_runs WHERE id = %(before)s))
ORDER BY started_at DESC, id DESC
LIMIT %(limit)s
"""
_BY_ID = "SELECT * FROM run_figures WHERE id = %s"


@dataclass(frozen=True)
class RunFilter:
    """Which runs are wanted; None: all."""

    target: str | None = None
    mode: str | None = None
    payload: str | None = None


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


def known_targets(server: Server) -> list[str]:
    """The targets that have runs."""
    with server.connect() as connection:
        return [name for (name,) in connection.execute("SELECT DISTINCT target FROM test_runs ORDER BY 1").fetchall()]

"""The metrics database at a glance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bakeoff.history.figures import RunFigures
from bakeoff.postgres.server import Server

_COUNTS = """
SELECT api_name, test_mode, status, count(*), min(started_at), max(started_at),
       count(*) FILTER (WHERE status = 'completed')
FROM test_runs
GROUP BY GROUPING SETS ((), (api_name), (test_mode), (status))
ORDER BY api_name, test_mode, status
"""

# One look into the index for each API, however long its history is.
_LATEST_OF_EACH = """
SELECT latest.*
FROM (SELECT DISTINCT api_name FROM test_runs) AS each
CROSS JOIN LATERAL (
    SELECT * FROM run_figures
    WHERE api = each.api_name
      AND status = 'completed'
      AND (mode = %(mode)s OR (%(mode)s::text IS NULL AND mode <> 'smoke'))
      AND (%(payload)s::text IS NULL OR payload = %(payload)s)
    ORDER BY started_at DESC, id DESC
    LIMIT 1
) AS latest
ORDER BY latest.throughput_per_s DESC NULLS LAST
"""


@dataclass(frozen=True)
class Counted:
    """Runs of one API, or of all: how many, how many of them completed, and when the first and the last began."""

    runs: int
    completed: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True)
class Overview:
    """What the metrics database holds."""

    all: Counted
    comparisons: int
    bytes: int
    apis: Mapping[str, Counted]
    modes: Mapping[str, int]
    statuses: Mapping[str, int]


def overview(server: Server) -> Overview:
    """Counts over everything that is stored."""
    apis: dict[str, Counted] = {}
    modes: dict[str, int] = {}
    statuses: dict[str, int] = {}
    everything = Counted(0, 0, None, None)
    with server.connect() as connection:
        for api, mode, status, runs, first, last, completed in connection.execute(_COUNTS).fetchall():
            counted = Counted(runs, completed, first, last)
            if api is not None:
                apis[api] = counted
            elif mode is not None:
                modes[mode] = runs
            elif status is not None:
                statuses[status] = runs
            else:
                everything = counted
        sizes = connection.execute(
            "SELECT (SELECT count(*) FROM comparisons), pg_database_size(current_database())"
        ).fetchone()
    assert sizes is not None
    return Overview(everything, sizes[0], sizes[1], apis, modes, statuses)


def latest_of_each_api(server: Server, mode: str | None, payload: str | None) -> Sequence[RunFigures]:
    """The latest completed run of each API, the fastest first. Smoke runs count only when asked for."""
    from psycopg.rows import class_row

    with server.connect() as connection, connection.cursor(row_factory=class_row(RunFigures)) as cursor:
        return cursor.execute(_LATEST_OF_EACH, {"mode": mode, "payload": payload}).fetchall()

"""Old runs are removed, by age, by number, or by both."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bakeoff.postgres.server import Server

# A run goes when every rule that was given lets it go: with both, the newest of each API stay however old they are.
_DOOMED = """
SELECT id, api_name, started_at
FROM (
    SELECT id, api_name, started_at, row_number() OVER (PARTITION BY api_name ORDER BY started_at DESC, id DESC) AS age
    FROM test_runs
) AS ranked
WHERE (%(days)s::float IS NULL OR started_at < now() - make_interval(secs => %(days)s::float * 86400))
  AND (%(keep)s::int IS NULL OR age > %(keep)s)
"""

_TOTALS = "SELECT api_name, count(*) FROM test_runs GROUP BY api_name ORDER BY api_name"

_DOOMED_BY_API = f"SELECT api_name, count(*), min(started_at), max(started_at) FROM ({_DOOMED}) AS doomed GROUP BY 1"  # noqa: S608 — the statement above

_DELETE = f"DELETE FROM test_runs WHERE id IN (SELECT id FROM ({_DOOMED}) AS doomed) RETURNING comparison_id"  # noqa: S608 — the statement above

_DELETE_EMPTIED = """
DELETE FROM comparisons
WHERE id = ANY(%s) AND NOT EXISTS (SELECT FROM test_runs WHERE comparison_id = comparisons.id)
"""


@dataclass(frozen=True)
class ApiCleanup:
    """What a clean-up means for one API: runs that go, with the begins of the oldest and the newest, and that stay."""

    api: str
    removed: int
    kept: int
    oldest_removed: datetime | None
    newest_removed: datetime | None


def clean_up(server: Server, days: float | None, keep: int | None, execute: bool) -> Sequence[ApiCleanup]:
    """What goes and what stays, by API; removes it when `execute` says so, all or nothing.

    `days`: only runs older than that. `keep`: never the newest so many of an API. At least one is given.
    """
    values = {"days": days, "keep": keep}
    with server.connect() as connection, connection.transaction():
        # What is shown is what goes, whatever is stored meanwhile.
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        doomed = {api: rest for api, *rest in connection.execute(_DOOMED_BY_API, values).fetchall()}
        totals = connection.execute(_TOTALS).fetchall()
        if execute:
            touched = {comparison for (comparison,) in connection.execute(_DELETE, values).fetchall()}
            connection.execute(_DELETE_EMPTIED, [list(touched)])
    return [_cleanup(api, total, *doomed.get(api, (0, None, None))) for api, total in totals]


def _cleanup(api: str, total: int, removed: int, oldest: datetime | None, newest: datetime | None) -> ApiCleanup:
    return ApiCleanup(api, removed, total - removed, oldest, newest)

"""Rows that were stored before a run: no operation touches them, so they must come out of it as they went in."""

from dataclasses import dataclass

from bakeoff.postgres.server import Server
from bakeoff.results.run import Finding
from bakeoff.workload.loader import Workload
from bakeoff.workload.preload import PRELOADED_KEYS

# A sum does not ask for an order, and the key in each hash tells rows apart that exchanged their documents.
_STATE = """
SELECT count(*), coalesce(sum(hashtextextended(key::text || document::text, 0)), 0)
FROM ({audit}) AS state
WHERE key[cardinality(key)] LIKE '{keys}'
"""


@dataclass(frozen=True)
class Preloaded:
    """How many of these rows the table holds, and a checksum of their keys and documents."""

    rows: int
    checksum: int


def preloaded_in(workload: Workload, server: Server) -> Preloaded | None:
    """What the workload's audit query returns of preloaded rows; None for a workload without one."""
    audit = workload.sql("audit")
    if audit is None:
        return None
    statement = _STATE.format(audit=audit.strip().rstrip(";"), keys=PRELOADED_KEYS)
    with server.connect() as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return Preloaded(row[0], int(row[1]))


def preload_findings(before: Preloaded | None, after: Preloaded | None) -> list[Finding]:
    """Nothing where the rows are as they were, or where they were not checked."""
    if before is None or after is None or before == after:
        return []
    rows = f"{before.rows - after.rows:,} are missing" if after.rows < before.rows else "some contain another document"
    return [
        Finding(
            "audit-failed",
            "error",
            f"Of {before.rows:,} rows that were inserted before the run and that no operation updates, {rows}.",
            "This run is void: the target changes rows that no request names, or another process writes to the table.",
        )
    ]

"""Rows that were stored before a run and must be unchanged after it, since no operation updates them."""

from dataclasses import dataclass

from bakeoff.postgres.server import Server
from bakeoff.results import finding_kinds as kinds
from bakeoff.results.findings import Finding
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
    """The preloaded rows that the workload's audit query returns; None for a workload without one."""
    audit = workload.sql("audit")
    if audit is None:
        return None
    statement = _STATE.format(audit=audit.strip().rstrip(";"), keys=PRELOADED_KEYS)
    with server.connect() as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return Preloaded(row[0], int(row[1]))


def preload_findings(before: Preloaded | None, after: Preloaded | None) -> list[Finding]:
    """Rows that changed during the run; nothing where they were not checked."""
    if before is None or after is None or before == after:
        return []
    rows = f"{before.rows - after.rows:,} are missing" if after.rows < before.rows else "some contain another document"
    return [kinds.PRELOADED_ROWS_CHANGED(rows=before.rows, changed=rows)]

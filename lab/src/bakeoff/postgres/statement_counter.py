"""Counts what targets send to a server: statements and rows by pg_stat_statements, round trips by a relay."""

from dataclasses import dataclass

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.postgres.target_role import NAME as TARGETS

# Of targets on any database, since each run has one of its own. Statements inside functions do not count, nor do those
# that frame others: they are no work, and a round trip shows what they cost.
_COUNT = """
SELECT coalesce(sum(calls), 0)::bigint, coalesce(sum(rows), 0)::bigint FROM pg_stat_statements
WHERE userid = '{role}'::regrole AND toplevel AND query !~*
  '^\\s*(begin|start|commit|end|rollback|abort|savepoint|release|prepare|deallocate|discard|set|reset|show)\\y'
"""


@dataclass(frozen=True)
class Sent:
    """Statements since the server's start, and the rows that they returned or changed."""

    statements: int
    rows: int


class StatementCounter:
    """Reads the counts of a server that loads pg_stat_statements. Raises BakeoffError for one that does not."""

    def __init__(self, server: Server) -> None:
        # In no database of a run: its relations stay those of the target.
        self._everywhere = server.in_database("postgres")
        try:
            with self._everywhere.connect() as connection:
                connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        except psycopg.Error as error:
            raise BakeoffError(f"PostgreSQL cannot count statements: {error}. Install its contrib modules.") from error

    def count(self) -> Sent:
        with self._everywhere.connect() as connection:
            row = connection.execute(_COUNT.format(role=TARGETS).encode()).fetchone()
        return Sent(0, 0) if row is None else Sent(int(row[0]), int(row[1]))

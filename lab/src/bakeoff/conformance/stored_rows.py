"""Looks up what a target has stored for a case."""

from typing import TYPE_CHECKING, Protocol

from bakeoff.conformance.case import Case, Row
from bakeoff.errors import BakeoffError

if TYPE_CHECKING:
    from psycopg import Connection

_OWNED_ROWS = """
SELECT stored.key, stored.document::text FROM (
AUDIT
) AS stored (key, document)
WHERE EXISTS (SELECT FROM unnest(stored.key) AS element WHERE split_part(element, '/', 1) = %s)
"""


class StoredRows(Protocol):
    """What is stored."""

    def of(self, case: Case) -> list[Row]:
        """The rows that belong to the case."""
        ...


class PostgresRows:
    """Rows of the workload's audit query, which returns (key text[], document jsonb) for all that is stored."""

    def __init__(self, connection: "Connection", audit: str) -> None:
        self._connection = connection
        self._statement = _OWNED_ROWS.replace("AUDIT", audit.strip().removesuffix(";").replace("%", "%%"))

    def of(self, case: Case) -> list[Row]:
        import psycopg

        try:
            found = self._connection.execute(self._statement, [case.name]).fetchall()
        except psycopg.Error as error:
            raise BakeoffError(
                f"What the target has stored cannot be read: {' '.join(str(error).split())}. "
                "Does the target apply the workload's schema when it starts?"
            ) from error
        return [Row(tuple(key), document) for key, document in found]

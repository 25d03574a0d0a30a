"""Looks up what a target has stored for a case."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

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


_ROW = """
SELECT stored.document::text FROM (
AUDIT
) AS stored (key, document)
WHERE stored.key = %s
"""


_ALL_ROWS = """
SELECT stored.key, stored.document::text FROM (
AUDIT
) AS stored (key, document)
"""


class StoredRows(Protocol):
    """What is stored."""

    def of(self, case: Case) -> list[Row]:
        """The rows that belong to the case."""
        ...

    def at(self, key: Sequence[str]) -> str | None:
        """The document stored under a key; None where there is none."""
        ...


class PostgresRows:
    """Rows of the workload's audit query, which returns (key text[], document jsonb) for all that is stored."""

    def __init__(self, connection: "Connection", audit: str) -> None:
        self._connection = connection
        self._audit = audit.strip().removesuffix(";").replace("%", "%%")

    def of(self, case: Case) -> list[Row]:
        return [Row(tuple(key), document) for key, document in self._found(_OWNED_ROWS, case.name)]

    def at(self, key: Sequence[str]) -> str | None:
        found = self._found(_ROW, list(key))
        return found[0][0] if found else None

    def all(self) -> dict[tuple[str, ...], str]:
        """Every document that is stored, by its key."""
        return {tuple(key): document for key, document in self._found(_ALL_ROWS)}

    def _found(self, statement: str, *parameters: str | list[str]) -> list[tuple[Any, ...]]:
        import psycopg

        try:
            return self._connection.execute(statement.replace("AUDIT", self._audit).encode(), parameters).fetchall()
        except psycopg.Error as error:
            raise BakeoffError(
                f"What the target has stored cannot be read: {' '.join(str(error).split())}. "
                "Does the target apply the workload's schema when it starts?"
            ) from error

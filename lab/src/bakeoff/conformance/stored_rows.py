"""Looks up the rows that a target stored for a case."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from bakeoff.conformance.case import Case, Row
from bakeoff.errors import BakeoffError

if TYPE_CHECKING:
    from psycopg import Connection

_ROWS = """
SELECT stored.key, stored.document::text FROM (
{audit}
) AS stored (key, document)
WHERE {condition}
"""
_OF_CASE = "EXISTS (SELECT FROM unnest(stored.key) AS element WHERE split_part(element, '/', 1) = %s)"


class StoredRows(Protocol):
    def of(self, case: Case) -> list[Row]:
        """The rows that belong to the case."""
        ...

    def at(self, key: Sequence[str]) -> str | None:
        """The document stored under a key; None where there is none."""
        ...


class PostgresRows:
    """The rows of the workload's audit query, which returns (key text[], document jsonb) of every stored row."""

    def __init__(self, connection: "Connection", audit: str) -> None:
        self._connection = connection
        self._audit = audit.strip().removesuffix(";").replace("%", "%%")

    def of(self, case: Case) -> list[Row]:
        return [Row(*found) for found in self._found(_OF_CASE, case.name)]

    def at(self, key: Sequence[str]) -> str | None:
        return next((document for _, document in self._found("stored.key = %s", list(key))), None)

    def all(self) -> dict[tuple[str, ...], str]:
        return dict(self._found("true"))

    def _found(self, condition: str, *parameters: str | list[str]) -> list[tuple[tuple[str, ...], str]]:
        import psycopg

        statement = _ROWS.format(audit=self._audit, condition=condition)
        try:
            found = self._connection.execute(statement.encode(), parameters).fetchall()
        except psycopg.Error as error:
            raise BakeoffError(
                f"The target's stored rows cannot be read: {' '.join(str(error).split())}. "
                "Does the target apply the workload's schema when it starts?"
            ) from error
        return [(tuple(key), document) for key, document in found]

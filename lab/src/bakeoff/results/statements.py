"""What one request of an operation sends to PostgreSQL."""

from collections.abc import Mapping

import msgspec

STATEMENTS = "target_statements"
"""The fact, of a run's environment, what each operation sends, as its target's folder states it."""


class OperationStatements(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statements without those that frame transactions, round trips of all, and rows that they return or change."""

    statements: int
    round_trips: int
    rows: int

    @property
    def words(self) -> str:
        return f"{_number(self.statements, 'statement')} in {_number(self.round_trips, 'round trip')}"

    @property
    def short(self) -> str:
        return f"{self.statements} / {self.round_trips}"

    def is_as_costly_as(self, other: "OperationStatements") -> bool:
        return (self.statements, self.round_trips) == (other.statements, other.round_trips)


def as_fact(stated: Mapping[str, OperationStatements]) -> str:
    return msgspec.json.encode(stated).decode() if stated else ""


def from_fact(fact: str | None) -> Mapping[str, OperationStatements]:
    return msgspec.json.decode(fact, type=dict[str, OperationStatements]) if fact else {}


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

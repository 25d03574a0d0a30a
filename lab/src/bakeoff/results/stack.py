"""What a target is made of and what it costs besides its requests, from the facts of a run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

STACK = "stack"
"""The fact, of a run's environment, with the parts of its target's stack: `framework: Gin 1.11, driver: pgx 5`."""
INSTALL_BYTES = "target_install_bytes"
"""The fact how large its build is: the artifact and what else the manifest counts as its contents."""
SOURCE_LINES = "target_source_lines"
"""The fact how many lines the inputs of its build have."""
STATEMENTS = "target_statements"
"""The fact, of a run's environment, what each operation sends, as its target's folder states it."""

_PART = re.compile(r"(?:^|, )([\w-]+): ")


class OperationStatements(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statements without those that frame transactions, round trips of all, and rows that they return or change."""

    statements: int
    round_trips: int
    rows: int

    @property
    def words(self) -> str:
        return f"{_counted(self.statements, 'statement')} in {_counted(self.round_trips, 'round trip')}"

    @property
    def short(self) -> str:
        return f"{self.statements} / {self.round_trips}"

    def is_as_costly_as(self, other: "OperationStatements") -> bool:
        return (self.statements, self.round_trips) == (other.statements, other.round_trips)


@dataclass(frozen=True)
class Stack:
    """The parts of a target's stack by name, such as framework and driver; bytes, lines and statements where known."""

    parts: Mapping[str, str] = field(default_factory=dict)
    install_bytes: int | None = None
    source_lines: int | None = None
    statements: Mapping[str, OperationStatements] = field(default_factory=dict)


def stack_in(facts: Mapping[str, str]) -> Stack:
    return Stack(
        parts_in(facts.get(STACK, "")),
        _number(facts.get(INSTALL_BYTES)),
        _number(facts.get(SOURCE_LINES)),
        from_fact(facts.get(STATEMENTS)),
    )


def in_words(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{part}: {what}" for part, what in parts.items())


def parts_in(words: str) -> dict[str, str]:
    """The parts that `in_words` has joined; a part may have commas of its own."""
    _before, *found = _PART.split(words)
    return dict(zip(found[::2], found[1::2], strict=True))


def _number(fact: str | None) -> int | None:
    return None if fact is None or not fact.isdecimal() else int(fact)


def as_fact(stated: Mapping[str, OperationStatements]) -> str:
    return msgspec.json.encode(stated).decode() if stated else ""


def from_fact(fact: str | None) -> Mapping[str, OperationStatements]:
    return msgspec.json.decode(fact, type=dict[str, OperationStatements]) if fact else {}


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

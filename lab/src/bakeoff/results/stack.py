"""What a target is made of and what it costs besides its requests, from the facts of a run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.results.statements import STATEMENTS, OperationStatements, from_fact

STACK = "stack"
"""The fact, of a run's environment, with the parts of its target's stack: `framework: Gin 1.11, driver: pgx 5`."""
INSTALL_BYTES = "target_install_bytes"
"""The fact how large its build is: the artifact and what else the manifest counts as its contents."""
SOURCE_LINES = "target_source_lines"
"""The fact how many lines the inputs of its build have."""

_PART = re.compile(r"(?:^|, )([\w-]+): ")


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


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

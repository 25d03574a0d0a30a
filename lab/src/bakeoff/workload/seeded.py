"""The rows that a workload's seed stores before a run, in declarations and in templates."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar, cast

import msgspec
from msgspec.structs import replace

from bakeoff.documents.checked import Json
from bakeoff.documents.toml_lines import Place
from bakeoff.workload.declaration import Declaration
from bakeoff.workload.template import SEEDED

_SEEDED_IN_SLOT = re.compile(rf"(?<=\$\{{)[^{{}}]*\b{SEEDED}\b[^{{}}]*(?=\}})")


def seed_problems(declared: Declaration) -> Iterator[tuple[Place, str]]:
    """Why a seed could not be stored, or why a template names rows that nothing stores."""
    if declared.seed is None:
        for index, operation in enumerate(declared.operations):
            if any(_SEEDED_IN_SLOT.search(text) for text in _texts(msgspec.to_builtins(operation))):
                words = f"operation {operation.name} names {SEEDED}, the number of rows of seed: declare a seed."
                yield ("operations", index), words
    elif declared.database == "none":
        yield ("seed",), 'a seed fills tables, and database = "none": remove it.'
    elif declared.schema is None:
        yield ("seed",), "a seed fills the tables that schema makes: name an SQL file as the schema."


def with_rows(declared: Declaration, rows: int | None) -> Declaration:
    """The declaration with this number of rows where a template names it; None: those for checks."""
    if declared.seed is None:
        return declared
    number = str(declared.seed.rows_for_checks if rows is None else rows)
    return replace(declared, operations=tuple(_with_number(each, number) for each in declared.operations))


_Part = TypeVar("_Part")


def _with_number(part: _Part, number: str) -> _Part:
    """The part with the number in all of its texts. What has no text stays as it is, its empty defaults too."""
    changed: object = part
    if isinstance(part, str):
        changed = _SEEDED_IN_SLOT.sub(lambda slot: re.sub(rf"\b{SEEDED}\b", number, slot.group()), part)
    elif isinstance(part, msgspec.Struct):
        members = {name: _with_number(getattr(part, name), number) for name in part.__struct_fields__}
        changed = replace(part, **members)
    elif isinstance(part, Mapping):
        changed = {name: _with_number(each, number) for name, each in part.items()}
    elif isinstance(part, list | tuple):
        changed = type(part)(_with_number(each, number) for each in part)
    return cast(_Part, changed)


def _texts(part: Json) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, list | dict):
        for each in part.values() if isinstance(part, dict) else part:
            yield from _texts(each)

"""TOML files that people write and that know no other keys than their schema's: errors name file, line and key."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from bakeoff.documents import Document
from bakeoff.errors import UsageError

Place = Sequence[str | int]


@dataclass(frozen=True)
class ClosedToml:
    """A document that obeys its schema, and the text that it was read from."""

    path: Path
    text: str
    document: Document

    def place(self, place: Place) -> str:
        """Where a place is, for a reader who looks for the line."""
        return f"{self.path}, line {line_of(self.text, place)}"

    def error(self, place: Place, words: str) -> UsageError:
        """What is wrong at a place."""
        return UsageError(f"{self.place(place)}: {words}")


def read_closed_toml(path: Path, schema: Path) -> ClosedToml:
    """Reads a file and holds it against its JSON Schema; whatever is wrong is a UsageError."""
    try:
        text = path.read_text("utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Correct it and start again.") from error
    toml = ClosedToml(path, text, document)
    problem = _first_problem(document, schema)
    if problem is not None:
        raise toml.error(*problem)
    return toml


def line_of(text: str, place: Place) -> int:
    """The line on which the key of a place stands, such as ("vary", "payload"); 1 where it is not to be found."""
    names = [part for part in place if isinstance(part, str)]
    for depth in range(len(names), 0, -1):
        found = _line_of_key(text, names[:depth])
        if found:
            return found
    return 1


def _line_of_key(text: str, names: Sequence[str]) -> int | None:
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r"\s*\[+([^\]]+)\]", line)
        if header:
            table = _parts(header.group(1))
            if table == list(names):
                return number
            continue
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if key and [*table, *_parts(key.group(1))] == list(names):
            return number
    return None


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def _first_problem(document: Document, schema: Path) -> tuple[Place, str] | None:
    import json

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(json.loads(schema.read_text("utf-8"))).iter_errors(document))
    if error is None:
        return None
    place: list[str | int] = list(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = list(error.schema["properties"])
        unknown = next(name for name in error.instance if name not in known)
        close = get_close_matches(unknown, known, 1)
        hint = f"Did you mean {close[0]}?" if close else f"Keys here: {', '.join(known)}."
        return [*place, unknown], f"there is no key {unknown}. {hint}"
    name = ".".join(str(part) for part in place)
    return place, f"{name + ': ' if name else ''}{error.message}."

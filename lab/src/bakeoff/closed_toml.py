"""TOML files that people write and that know no other keys than their schema's: errors name file, line and key."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.documents import Document, validator_of
from bakeoff.errors import UsageError
from bakeoff.hints import hint

Place = Sequence[str | int]


@dataclass(frozen=True)
class ClosedToml:
    """A document that obeys its schema, and the text that it was read from."""

    path: Path
    text: str
    document: Document

    def place(self, place: Place, text: str = "") -> str:
        """Where a place is: file and line of its key, or of the first line from there on that has `text` in it."""
        line = line_of(self.text, place)
        below = self.text.splitlines()[line - 1 :]
        return f"{self.path}, line {next((line + index for index, each in enumerate(below) if text in each), line)}"

    def error(self, place: Place, words: str, text: str = "") -> UsageError:
        """What is wrong at a place."""
        return UsageError(f"{self.place(place, text)}: {words}")


def read_closed_toml(path: Path, schema: Path) -> ClosedToml:
    """Reads a file and checks it against its JSON Schema; whatever is wrong is a UsageError."""
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
    """The line on which the key of a place stands, such as ("vary", "payload") or ("operations", 2, "needs").

    1 where it is not to be found; the closest table around it where the key is inside an inline table.
    """
    lines = _lines_of_keys(text)
    return next((lines[tuple(place[:depth])] for depth in range(len(place), 0, -1) if tuple(place[:depth]) in lines), 1)


def _lines_of_keys(text: str) -> dict[tuple[str | int, ...], int]:
    """The line of each key and table. An element of an array of tables is known by its index."""
    lines: dict[tuple[str | int, ...], int] = {}
    elements: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    for number, line in _lines_outside_texts(text):
        header = re.match(r"\s*(\[+)([^\]]+)\]", line)
        key = re.match(r"\s*([\w.\"'-]+)\s*=", line)
        if header:
            table = _table(_parts(header.group(2)), elements)
            if header.group(1) == "[[":
                lines.setdefault(table, number)
                elements[table] = elements.get(table, -1) + 1
                table = (*table, elements[table])
            lines.setdefault(table, number)
        elif key:
            lines.setdefault((*table, *_parts(key.group(1))), number)
    return lines


def _lines_outside_texts(text: str) -> Iterator[tuple[int, str]]:
    """The lines by number, without those inside texts of several lines, which may look like keys and tables."""
    delimiter = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not delimiter:
            yield number, line
        for found in re.findall(r'''"""|\'{3}''', line):
            delimiter = "" if delimiter == found else delimiter or found


def _table(names: Sequence[str], elements: Mapping[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """The table of a header: below an array of tables it belongs to the array's last element."""
    table: tuple[str | int, ...] = ()
    for depth, name in enumerate(names):
        table = (*table, name)
        if table in elements and depth < len(names) - 1:
            table = (*table, elements[table])
    return table


def _parts(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def _first_problem(document: Document, schema: Path) -> tuple[Place, str] | None:
    from jsonschema.exceptions import best_match

    errors = list(validator_of(schema).iter_errors(document))
    error = best_match(errors)
    if error is None:
        return None
    # A misspelt key is missing, too: it is to be named itself.
    unknown_keys = [each for each in errors if each.validator == "additionalProperties"]
    error = next((each for each in unknown_keys if each.absolute_path == error.absolute_path), error)
    place: list[str | int] = list(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = list(error.schema["properties"])
        unknown = next(name for name in error.instance if name not in known)
        return [*place, unknown], f"there is no key {unknown}. {hint(unknown, known, 'Keys here')}"
    name = ".".join(str(part) for part in place)
    return place, f"{name + ': ' if name else ''}{error.message}."

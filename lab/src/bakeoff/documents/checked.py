"""Reads the documents that the contract defines, checks them against its schemas, and makes records of them."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

import jsonschema_rs
import msgspec

from bakeoff.documents.toml_lines import Place, line_of
from bakeoff.errors import UsageError
from bakeoff.text.hints import hint, nearest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

    # The types of JSON and TOML.
    Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
else:
    # msgspec reads no recursive alias; what it decodes into a member of this type is JSON.
    Json = object

_Record = TypeVar("_Record")
_Whole = TypeVar("_Whole")


@dataclass(frozen=True)
class Toml(Generic[_Record]):
    """A document that obeys its schema, as a record, and the text that it was read from.

    `under` is the place of a document that is a part of the text.
    """

    path: Path
    text: str
    document: _Record
    under: Place = ()

    def place(self, place: Place, text: str = "") -> str:
        """Where a place is: file and line of its key, or of the first line from there on that has `text` in it."""
        line = line_of(self.text, (*self.under, *place))
        below = self.text.splitlines()[line - 1 :]
        return f"{self.path}, line {next((line + index for index, each in enumerate(below) if text in each), line)}"

    def error(self, place: Place, words: str, text: str = "") -> UsageError:
        return UsageError(f"{self.place(place, text)}: {words}")


def _same(document: Json) -> Json:
    return document


def _as_written(toml: Toml[Json]) -> Json:
    return toml.document


def read_toml(
    path: Path,
    schema: Path,
    record: type[_Record],
    full_form: Callable[[Any], Json] = _same,
    completed: Callable[[Toml[Json]], Json] = _as_written,
) -> Toml[_Record]:
    """Reads a file and checks it against its JSON Schema; errors name the file, the line and the key.

    `completed` adds what the document takes from elsewhere, before it is checked. `full_form` makes of a checked
    document, which may use short forms, what the record has.
    """
    try:
        text = path.read_text("utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Correct it and start again.") from error
    toml: Toml[Json] = Toml(path, text, document)
    return _checked(replace(toml, document=completed(toml)), schema, record, full_form)


def read_part(
    whole: Toml[_Whole],
    under: Place,
    part: Json,
    schema: Path,
    record: type[_Record],
    full_form: Callable[[Any], Json] = _same,
    completed: Callable[[Toml[Json]], Json] = _as_written,
) -> Toml[_Record]:
    """A part of a document, such as one of its tables, checked against a schema of its own, as `read_toml` does."""
    toml: Toml[Json] = Toml(whole.path, whole.text, part, under)
    return _checked(replace(toml, document=completed(toml)), schema, record, full_form)


def _checked(toml: Toml[Json], schema: Path, record: type[_Record], full_form: Callable[[Any], Json]) -> Toml[_Record]:
    problem = _first_problem_in_toml(toml.document, schema)
    if problem is not None:
        raise toml.error(*problem)
    try:
        return replace(cast("Toml[_Record]", toml), document=msgspec.convert(full_form(toml.document), record))
    except msgspec.ValidationError as error:
        _, _, member = str(error).rpartition("$")
        place: Place = [int(part) if part.isdecimal() else part for part in re.findall(r"\w+", member)]
        raise toml.error(place, f"{error}.") from error


def first_problem(document: Json, schema: Path, definition: str | None = None) -> str | None:
    """The first violation of the schema, as `place: reason`, or None. The deepest reason is the one that helps.

    With `definition` the document is checked against that one of the schema's `$defs`.
    """
    if _is_valid(document, schema, definition):
        return None
    from jsonschema.exceptions import best_match

    error = best_match(_validator(schema, definition).iter_errors(document))
    if error is None:
        return None
    place = ".".join(str(part) for part in error.absolute_path) or "the document"
    return f"{place}: {error.message}"


def _first_problem_in_toml(document: Json, schema: Path) -> tuple[Place, str] | None:
    if _is_valid(document, schema):
        return None
    from jsonschema.exceptions import best_match

    errors = list(_validator(schema).iter_errors(document))
    error = best_match(errors)
    if error is None:
        return None
    other = next((each for each in errors if [*each.absolute_path] == ["version"]), None)
    if other is not None and other.validator == "const":
        return ["version"], _other_version(other.instance, other.validator_value)
    # A misspelt key is missing, too: it is to be named itself.
    unknown_keys = [each for each in errors if each.validator == "additionalProperties"]
    error = next((each for each in unknown_keys if each.absolute_path == error.absolute_path), error)
    place: list[str | int] = list(error.absolute_path)
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = list(error.schema["properties"])
        unknown = next(name for name in error.instance if name not in known)
        return [*place, unknown], f"there is no key {unknown}. {hint(unknown, known, 'Keys here')}"
    name = ".".join(str(part) for part in place)
    return place, f"{name + ': ' if name else ''}{error.message}.{_advice(error)}"


def _advice(error: "ValidationError") -> str:
    """The word that was probably meant, or the meaning of the member whose pattern was not met; or nothing."""
    known = error.validator_value
    if error.validator == "enum" and isinstance(known, list) and isinstance(error.instance, str):
        return nearest(error.instance, [each for each in known if isinstance(each, str)])
    described = error.schema.get("description") if isinstance(error.schema, Mapping) else None
    return f" It is {described}." if error.validator == "pattern" and described else ""


def _other_version(found: Json, known: int) -> str:
    if isinstance(found, int) and found > known:
        return f"version {found} is newer than this bakeoff, which reads {known}. Update it."
    written = json.dumps(found)
    return f"version {written} is unknown: this bakeoff reads {known}. Write version = {known}, and follow its formats."


def _is_valid(document: Json, schema: Path, definition: str | None = None) -> bool:
    """Whether a document obeys, told in a thirtieth of the time of `_validator`, which has the better words if not."""
    try:
        return _quick_validator(schema, definition).is_valid(document)
    except ValueError:  # A type that JSON does not have, such as a date of TOML.
        return False


@cache
def _quick_validator(schema: Path, definition: str | None) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(_rules(schema, definition))


@cache
def _validator(schema: Path, definition: str | None = None) -> "Draft202012Validator":
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_rules(schema, definition))


def _rules(schema: Path, definition: str | None) -> Any:
    root = json.loads(schema.read_text("utf-8"))
    return root if definition is None else {"$defs": root["$defs"], "$ref": f"#/$defs/{definition}"}

"""Reads the documents that the contract defines and checks them against its schemas."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from bakeoff.errors import BakeoffError

# What JSON and TOML can hold.
Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Document = dict[str, Any]


def read_toml(path: Path, schema: Path) -> Document:
    """A TOML document that obeys a JSON Schema; errors name the file, the place in it and what is wrong there."""
    try:
        document = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BakeoffError(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BakeoffError(f"{path} is not valid TOML: {error}. Correct it and start again.") from error
    problem = first_problem(document, schema)
    if problem:
        raise BakeoffError(f"{path} does not match the schema {schema.name}: {problem}.")
    return document


def first_problem(document: object, schema: Path, definition: str | None = None) -> str | None:
    """What breaks the schema first, as `place: reason`, or None. The deepest reason is the one that helps.

    With `definition` the document is checked against that one of the schema's `$defs`.
    """
    from jsonschema.exceptions import best_match

    error = best_match(validator_of(schema, definition).iter_errors(document))
    if error is None:
        return None
    place = ".".join(str(part) for part in error.absolute_path) or "the document"
    return f"{place}: {error.message}"


@cache
def validator_of(schema: Path, definition: str | None = None) -> Any:
    """What checks documents against a schema, or against one of its `$defs`."""
    from jsonschema import Draft202012Validator

    root = json.loads(schema.read_text("utf-8"))
    if definition is not None:
        root = {"$defs": root["$defs"], "$ref": f"#/$defs/{definition}"}
    return Draft202012Validator(root)

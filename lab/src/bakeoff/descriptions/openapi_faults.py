"""Faults of an OpenAPI document, which an import names and works around."""

import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import jsonschema_rs

from bakeoff.descriptions.document_file import DocumentFile
from bakeoff.descriptions.faults import MOST_FAULTS, Fault
from bakeoff.descriptions.json_members import JsonObject, object_in, objects_by_name, text_in
from bakeoff.documents.checked import Json
from bakeoff.documents.json_pointer import pointer_of

Steps: TypeAlias = tuple[str | int, ...]

METHODS = ("get", "post", "put", "patch", "delete", "head", "options", "trace")


def faults_of(file: DocumentFile, document: JsonObject, version: str) -> list[Fault]:
    """Where a document breaks the rules of its version; `document` is the file's value."""
    found: list[tuple[Steps, str]] = [
        ((), f"the name {pointer} is given twice: the last one counts") for pointer in file.repeated
    ]
    found += list(_schema_errors(document, version))
    found += _repeated_names(document)
    faults: list[Fault] = []
    for place, words in found:
        line = file.line_of(place) if len(faults) < MOST_FAULTS else None
        faults.append(Fault(pointer_of(place), _short(words), line))
    return faults


def _schema_errors(document: JsonObject, version: str) -> Iterator[tuple[Steps, str]]:
    for error in _validator(version).iter_errors(document):
        if not any(isinstance(each, Mapping) and "$ref" in each for each in _way_to(document, error)):
            # Many tools refer to another place where OpenAPI does not.
            deepest = _deepest(error)
            yield tuple(_steps_to(document, deepest)), deepest.message


def _steps_to(document: Json, error: jsonschema_rs.ValidationError) -> Iterator[str | int]:
    """The place of an error: the validator gives names of digits, such as a status, as numbers."""
    for holder, step in zip(_way_to(document, error), error.instance_path, strict=False):
        yield str(step) if isinstance(holder, Mapping) else step


def _way_to(document: Json, error: jsonschema_rs.ValidationError) -> Iterator[Json]:
    """The document, and each value within it on the way to the place of an error."""
    yield document
    for step in error.instance_path:
        if isinstance(document, Mapping):
            document = document.get(str(step))
        else:
            document = document[int(step)] if isinstance(document, list) else None
        yield document


@cache
def _validator(version: str) -> jsonschema_rs.Draft202012Validator | jsonschema_rs.Draft4Validator:
    known = next((each for each in ("2.0", "3.0", "3.1") if version.startswith(each[:3])), "3.2")
    # Its schemas are read without the package, which takes longer to import than they to be read.
    package = importlib.util.find_spec("openapi_spec_validator")
    assert package is not None and package.submodule_search_locations is not None
    folder = Path(package.submodule_search_locations[0]) / "resources" / "schemas" / f"v{known}"
    schema = json.loads((folder / "schema.json").read_text("utf-8"))
    is_old = known in ("2.0", "3.0")
    return jsonschema_rs.Draft4Validator(schema) if is_old else jsonschema_rs.Draft202012Validator(schema)


def _deepest(error: jsonschema_rs.ValidationError) -> jsonschema_rs.ValidationError:
    """Of several alternatives none of which fits, the error that lies deepest: the others fail at once."""
    alternatives: Sequence[Sequence[jsonschema_rs.ValidationError]] = getattr(error.kind, "context", None) or ()
    inner = [_deepest(each) for errors in alternatives for each in errors]
    inner = [each for each in inner if "$ref" not in each.message]
    return max(inner, key=lambda each: len(each.instance_path), default=error)


def _repeated_names(document: JsonObject) -> Iterator[tuple[Steps, str]]:
    seen: set[str] = set()
    for path, item in objects_by_name(object_in(document, "paths")).items():
        for method in METHODS:
            name = text_in(object_in(item, method), "operationId")
            if name and name in seen:
                yield ("paths", path, method, "operationId"), f"{name} is the name of another operation too"
            seen.add(name)


def _short(words: str) -> str:
    return words if len(words) <= 160 else f"{words[:80]} … {words[-75:]}"

"""Whether values obey the schemas of a description."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeAlias

import jsonschema_rs

from bakeoff.descriptions.json_members import JsonObject
from bakeoff.documents.checked import Json

Validator: TypeAlias = jsonschema_rs.Draft4Validator | jsonschema_rs.Draft202012Validator

_ROOT = "urn:bakeoff:description"


class SchemaChecks:
    """Checks values as a server does that knows the whole document."""

    def __init__(self, document: JsonObject) -> None:
        self._document: Any = document
        self._known: dict[int, tuple[JsonObject, Validator | None]] = {}

    def accepts(self, schema: JsonObject, value: Json) -> bool:
        return self.problem(schema, value) is None

    def problem(self, schema: JsonObject, value: Json) -> str | None:
        """Why a schema does not allow a value; None where it does, or is no schema itself."""
        validator = self._validator(schema)
        if validator is None:
            return None
        error = next(iter(validator.iter_errors(value)), None)
        return None if error is None else str(error.message)

    def broken(self, schema: JsonObject, value: Json) -> str | None:
        """Likewise, but a value that fits several alternatives of oneOf breaks nothing."""
        validator = self._validator(schema)
        errors = [] if validator is None else validator.iter_errors(value)
        several = jsonschema_rs.ValidationErrorKind.OneOfMultipleValid
        return next((str(each.message) for each in errors if not isinstance(each.kind, several)), None)

    def _validator(self, schema: JsonObject) -> Validator | None:
        known = self._known.get(id(schema))
        if known is None:
            known = schema, self._compiled(schema)
            self._known[id(schema)] = known
        return known[1]

    def _compiled(self, schema: JsonObject) -> Validator | None:
        try:
            return self._kind(_rooted(schema), registry=self._registry, offline=True, validate_formats=False)
        except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
            return None  # a schema with a fault, which is reported with the document's others

    @cached_property
    def _kind(self) -> type[Validator]:
        """OpenAPI 3.0 has the exclusive limits of draft 4."""
        is_old = str(self._document.get("openapi", "")).startswith("3.0")
        return jsonschema_rs.Draft4Validator if is_old else jsonschema_rs.Draft202012Validator

    @cached_property
    def _registry(self) -> Any:
        draft = jsonschema_rs.Draft4 if self._kind is jsonschema_rs.Draft4Validator else jsonschema_rs.Draft202012
        return jsonschema_rs.Registry([(_ROOT, self._document)], draft=draft)


def _rooted(value: Any) -> Any:
    """A schema with references that say of which document."""
    if isinstance(value, Mapping):
        return {
            name: f"{_ROOT}{each}"
            if name == "$ref" and isinstance(each, str) and each.startswith("#")
            else each
            if name in ("example", "examples", "default")
            else _rooted(each)
            for name, each in value.items()
        }
    return [_rooted(each) for each in value] if isinstance(value, list) else value

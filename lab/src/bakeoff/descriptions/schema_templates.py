"""Message templates from JSON Schemas: values that the schema allows, drawn again for each request."""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from bakeoff.descriptions.json_members import (
    JsonObject,
    list_in,
    number_in,
    object_in,
    objects_by_name,
    objects_of,
    text_in,
    whole_in,
)
from bakeoff.documents.checked import Json

Schema = JsonObject

# Optional members deeper than this are left out: a schema may contain itself.
_DEEPEST_OPTIONAL = 4
_DEEPEST = 12
_TEXT_LENGTH = 8
_ALTERNATIVES = ("oneOf", "anyOf")
_ONE_TEXT = re.compile(r"\^(?:\(\?:)?([\w-]+)\)?\$")
_FORMATS = {
    "uuid": "${uuid}",
    "date-time": "${timestamp}",
    "date": "${date 2000 2030}",
    "time": "12:${integer 10 59}:00Z",
    "email": "user-${user}-${sequence}@example.org",
    "uri": "https://example.org/${alphanumeric 8}",
    "hostname": "host-${integer 1 999}.example.org",
    "ipv4": "192.0.2.${integer 1 254}",
    "byte": "${choice QUJD|REVG|R0hJ}",
}


class SchemaTemplates:
    """Makes templates; `resolve` follows references. `unmatched` are texts whose pattern is not followed.

    With `prefers_examples` a value is the example or the default of its schema, where that has one.
    """

    def __init__(self, resolve: "Resolve", *, prefers_examples: bool = False) -> None:
        self._resolve = resolve
        self._prefers_examples = prefers_examples
        self.unmatched: list[str] = []

    def json(self, schema: Schema, name: str = "value", depth: int = 0) -> str:
        """The template of a value as JSON text."""
        schema = self.merged(schema)
        kind = kind_of(schema)
        if "const" in schema:
            return _literal(schema["const"])
        if self._prefers_examples and (given := _given_by(schema)) is not None:
            return _literal(given)
        if "enum" in schema:
            return _choice([each for each in list_in(schema, "enum") if each is not None])
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        if kind == "string":
            return f'"{self._text(schema, name)}"'
        if kind == "null" or (depth >= _DEEPEST and kind is None):
            return "null"
        return _plain(kind, schema)

    def text(self, schema: Schema, name: str) -> str:
        """The template of a value as it stands in a path, a query, a header or a form."""
        template = self.json(schema, name)
        return str(json.loads(template)) if template.startswith('"') else template

    def merged(self, schema: Schema, within: frozenset[str] = frozenset()) -> Schema:
        """A schema without references: `allOf` in one, and the first of several alternatives.

        `within` are the references that are being merged: a schema adds nothing to itself.
        """
        within |= {str(schema["$ref"])} if "$ref" in schema else set()
        schema = self._resolve(schema)
        whole: Schema = {}
        for part in objects_of(list_in(schema, "allOf")):
            if str(part.get("$ref")) not in within:
                whole = _joined(whole, self.merged(part, within))
        whole = _joined(whole, {name: each for name, each in schema.items() if name not in ("allOf", *_ALTERNATIVES)})
        for alternatives in (objects_of(list_in(schema, name)) for name in _ALTERNATIVES):
            # A subtype that names its base is itself the alternative of the base that is meant.
            if alternatives and not any(str(each.get("$ref")) in within for each in alternatives):
                merged = (self.merged(each, within) for each in alternatives)
                whole = _joined(whole, next((each for each in merged if kind_of(each) != "null"), {"type": "null"}))
        return whole

    def members(self, schema: Schema, *, written: bool) -> Mapping[str, Schema]:
        """The properties of an object that a request writes, or that a reply shows."""
        hidden = "readOnly" if written else "writeOnly"
        properties = objects_by_name(object_in(self.merged(schema), "properties"))
        members = {name: self.merged(each) for name, each in properties.items()}
        return {name: each for name, each in members.items() if not each.get(hidden)}

    def _object(self, schema: Schema, depth: int) -> str:
        required = list_in(schema, "required")
        members = []
        for name, member in objects_by_name(object_in(schema, "properties")).items():
            resolved = self._resolve(member)
            if resolved.get("readOnly") or (name not in required and depth >= _DEEPEST_OPTIONAL) or depth >= _DEEPEST:
                continue
            members.append(f"{_literal(name)}:{self.json(resolved, name, depth + 1)}")
        return "{" + ",".join(members) + "}"

    def _array(self, schema: Schema, name: str, depth: int) -> str:
        items, least = object_in(schema, "items"), whole_in(schema, "minItems", 0)
        count = max(1, least) if depth < _DEEPEST_OPTIONAL else least if depth < _DEEPEST else 0
        return "[" + ",".join(self.json(items, name, depth + 1) for _ in range(min(count, 20))) + "]"

    def _text(self, schema: Schema, name: str) -> str:
        if "pattern" in schema:
            # A pattern of one text, as OAuth 2's ^password$, is its own example.
            only = _ONE_TEXT.fullmatch(text_in(schema, "pattern"))
            example = example_of(schema) if only is None else only[1]
            self.unmatched += [] if isinstance(example, str) else [f"{name} must match {schema['pattern']}"]
            if isinstance(example, str):
                return _literal(example)[1:-1]
        if str(schema.get("format")) in _FORMATS:
            return _FORMATS[str(schema["format"])]
        least, most = whole_in(schema, "minLength", 0), whole_in(schema, "maxLength", 1000)
        prefix = f"{name}-"
        if least <= len(prefix) + _TEXT_LENGTH <= most and prefix.isascii() and prefix.isprintable():
            return f"{_literal(prefix)[1:-1]}${{alphanumeric {_TEXT_LENGTH}}}"
        return f"${{alphanumeric {min(1000, max(1, least, min(most, _TEXT_LENGTH)))}}}"


class Resolve:
    """Follows `$ref`s within one document."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document

    def __call__(self, entry: JsonObject) -> JsonObject:
        for _ in range(50):
            if "$ref" not in entry:
                return entry
            target = self._document
            for name in str(entry["$ref"]).removeprefix("#/").split("/"):
                plain = name.replace("~1", "/").replace("~0", "~").replace("%7B", "{").replace("%7D", "}")
                target = object_in(target, plain)
            entry = {**target, **{name: each for name, each in entry.items() if name != "$ref"}}
        return {}


def kind_of(schema: Schema) -> str | None:
    """The type of a value: the first that is not null; an object where only properties say so."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return next((str(each) for each in kinds if each != "null"), "null")
    if kinds is None and "properties" in schema:
        return "object"
    return None if kinds is None else str(kinds)


def _joined(base: Schema, more: Schema) -> Schema:
    """Both schemas in one; where they differ, `more` counts."""
    members = {**object_in(base, "properties"), **object_in(more, "properties")}
    required = [*list_in(base, "required"), *list_in(more, "required")]
    both = {**base, **more, "properties": members, "required": required}
    return {name: each for name, each in both.items() if each or name not in ("properties", "required")}


def example_of(schema: Schema) -> Json:
    """An example that a schema gives, or None."""
    examples = list_in(schema, "examples")
    return schema.get("example", examples[0] if examples else None)


def _given_by(schema: Schema) -> Json:
    """The example or the default of a schema; None where it has none of its type."""
    kind, example = kind_of(schema), example_of(schema)
    given = schema.get("default") if example is None else example
    if kind == "string" and given is not None:
        return str(given)  # YAML reads a password of digits as a number
    return given if kind is None or isinstance(given, Mapping) == (kind == "object") else None


def _plain(kind: str | None, schema: Schema) -> str:
    if kind == "boolean":
        return "${choice true|false}"
    if kind == "integer":
        return _integer(schema)
    if kind == "number":
        return _decimal(schema)
    return "{}"


def _integer(schema: Schema) -> str:
    low, high = _range(schema, 1, 999)
    step = whole_in(schema, "multipleOf", 1) or 1
    if step > 1:
        first = -(-low // step) * step
        return _choice(list(range(first, high + 1, step)[:20]) or [first])
    return f"${{integer {low} {high}}}" if low < high else str(low)


def _range(schema: Schema, usual: int, width: int) -> tuple[int, int]:
    """Both ends included, whatever way of excluding them the document's version has; at most 2³¹ values."""
    low = _limit(number_in(schema, "minimum"), _excluded(schema, "exclusiveMinimum"), 1)
    high = _limit(number_in(schema, "maximum"), _excluded(schema, "exclusiveMaximum"), -1)
    if low is None:
        low = usual if high is None or high > usual else high - width
    return low, low + width if high is None else min(high, low + 2**31)


def _excluded(schema: Schema, name: str) -> float | bool | None:
    value = schema.get(name)
    return value if isinstance(value, int | float) else None


def _limit(included: float | None, excluded: float | bool | None, inwards: int) -> int | None:
    """One end; `excluded` is its own limit, or whether the other one is excluded."""
    if excluded is not None and not isinstance(excluded, bool):
        return int(excluded) + inwards
    return None if included is None else int(included) + (inwards if excluded else 0)


def _decimal(schema: Schema) -> str:
    low, high = _range(schema, 1, 999)
    return f"${{decimal {Decimal(low):.2f} {Decimal(high):.2f}}}" if low < high else str(low)


def _choice(values: Sequence[Json]) -> str:
    """One of some values: a slot where they can stand in one, else the first."""
    texts = [each if isinstance(each, str) else _literal(each) for each in values]
    can_stand = [text for text in texts if text and not set(text) & set('|{}"\\')]
    quote = '"' if any(isinstance(each, str) for each in values) else ""
    if len(can_stand) < 2:
        return _literal(values[0]) if values else "null"
    return f"{quote}${{choice {'|'.join(can_stand)}}}{quote}"


def _literal(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False).replace("${", "$ {")

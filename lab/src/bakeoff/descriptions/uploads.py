"""Files that requests send: parts of a form, or a whole body, with a small content of their media type."""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence

from bakeoff.descriptions.drawn_values import Drawn, Value, as_text, json_text, sample_of
from bakeoff.descriptions.json_members import JsonObject, object_in, text_in, whole_in
from bakeoff.descriptions.media_types import (
    BYTES,
    ending_of,
    essence,
    holds_bytes,
    is_made_up,
    sent_type,
    smallest_file,
)
from bakeoff.descriptions.parameter_styles import form_of
from bakeoff.descriptions.schema_merging import Schema, kind_of
from bakeoff.descriptions.text_values import word

_JSON = "application/json"
_USUAL_BYTES = 48
_LARGEST_BYTES = 1 << 30


def is_file(schema: Schema) -> bool:
    """Whether a schema describes bytes as they are, and not in base64."""
    is_binary = text_in(schema, "format") == "binary" or "contentMediaType" in schema
    return kind_of(schema) in ("string", None) and is_binary and "contentEncoding" not in schema


def base64_of(media_type: str, schema: Schema) -> Drawn:
    """The base64 of a file, as long as its schema allows: of a type without a known file it differs each time."""
    least, most = whole_in(schema, "minLength", 0), whole_in(schema, "maxLength", _LARGEST_BYTES)
    known = smallest_file(media_type)
    if known is not None and len(known) <= most:
        return Drawn([base64.b64encode(known.ljust(least, b"\0")).decode()])
    count = max(least, min(most, _USUAL_BYTES))
    # Four characters of the alphabet are three bytes.
    drawn = min(count, _USUAL_BYTES) // 3
    rest = base64.b64encode(bytes(count - 3 * drawn)).decode()
    return Drawn([*([word(4 * drawn)] if drawn else []), rest])


def parts_of(
    value: Mapping[str, Value], members: Mapping[str, Schema], encoding: JsonObject, merged: Callable[[Schema], Schema]
) -> dict[str, Value]:
    """The members of a multipart form: texts and numbers before parts with a media type, as streaming parsers want."""
    fields: dict[str, Value] = {}
    parts: dict[str, Value] = {}
    for name, each in value.items():
        part = _part(name, each, members.get(name, {}), object_in(encoding, name), merged)
        if part is None:
            fields[name] = each
        else:
            parts[name] = part
    return {**form_of(fields, encoding), **parts}


def made_up_types(parts: Mapping[str, Value]) -> Iterator[str]:
    """The media types of parts with a random content."""
    for value in parts.values():
        for each in _each(value):
            if isinstance(each, Mapping) and "base64" in each:
                media_type = str(sample_of(each["content_type"]))
                if is_made_up(media_type):
                    yield media_type


def _part(name: str, value: Value, member: Schema, rule: JsonObject, merged: Callable[[Schema], Schema]) -> Value:
    """A part with a media type, or a list of such; None for a plain field."""
    item = merged(object_in(member, "items")) if kind_of(member) == "array" else member
    named = sent_type(text_in(rule, "contentType"))
    if value is None:
        return None
    if is_file(item) or (kind_of(item) is None and named and holds_bytes(essence(named))):
        media_type = named or sent_type(text_in(item, "contentMediaType")) or BYTES
        return _of_each(value, lambda each: _file(name, each, item, media_type))
    if essence(named).endswith("json"):
        return _typed(json_text(value), named)
    if named and essence(named) != "text/plain":
        return _of_each(value, lambda each: _typed(as_text(each), named))
    if "style" not in rule and all(isinstance(each, Mapping) for each in _each(value)):
        return _of_each(value, lambda each: _typed(json_text(each), _JSON))
    return None


def _file(name: str, value: Value, schema: Schema, media_type: str) -> Value:
    filename = f"{name}{ending_of(media_type)}"
    file: dict[str, Value] = {"filename": Drawn([filename]), "content_type": Drawn([media_type])}
    if essence(media_type).startswith("text/") or "contentSchema" in schema:
        return {**file, "text": as_text(value)}
    return {**file, "base64": base64_of(media_type, schema)}


def _typed(text: Drawn, media_type: str) -> Value:
    return {"content_type": Drawn([media_type]), "text": text}


def _each(value: Value) -> Sequence[Value]:
    return [value] if isinstance(value, Drawn | Mapping) or value is None else value


def _of_each(value: Value, made: Callable[[Value], Value]) -> Value:
    """What is made of a value, or of each item of a list."""
    return made(value) if isinstance(value, Drawn | Mapping) or value is None else [made(each) for each in value]

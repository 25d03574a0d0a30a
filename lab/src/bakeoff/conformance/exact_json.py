"""JSON that keeps the text of its numbers: a case that sends 0.10 must not send 0.1."""

import json
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Self

from bakeoff.documents.checked import Json


class _Exact:
    text: str

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)  # type: ignore[call-arg]
        number.text = text
        return number


class ExactInt(_Exact, int):
    """An integer that knows how it was written."""


class ExactFloat(_Exact, float):
    """A number with a fraction or an exponent that knows how it was written."""


def loads(text: str) -> Json:
    """The document; raises ValueError for broken syntax, and for a name that an object has twice."""
    document: Json = json.loads(text, parse_int=ExactInt, parse_float=ExactFloat, object_pairs_hook=_object)
    return document


def dumps(document: Json) -> bytes:
    """JSON without white space between its tokens; numbers are written as they were read.

    A lone surrogate, which UTF-8 cannot hold, is written as its escape.
    """
    return _written(document).encode("utf-8", "backslashreplace")


def _object(members: list[tuple[str, Json]]) -> dict[str, Json]:
    document: dict[str, Json] = {}
    for name, value in members:
        if name in document:
            raise ValueError(f'the name "{name}" occurs twice in an object')
        document[name] = value
    return document


def _written(value: Json) -> str:
    # Most values are strings, and a bulk has many: json.dumps would make an encoder for each.
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, ExactInt | ExactFloat):
        return value.text
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_written(name)}:{_written(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)

"""A strict reader of JSON that loses nothing: names that occur twice, the text of numbers, lone surrogates.

It keeps its own stack, so that no depth of nesting can exhaust it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


class JsonError(ValueError):
    """Not RFC 8259."""


@dataclass(frozen=True)
class Number:
    """A number as it was written."""

    text: str


@dataclass
class Members:
    """An object as the list of its members, in order, and where its text begins and ends."""

    pairs: list[tuple[str, Any]] = field(default_factory=list)
    begin: int = 0
    end: int = 0


_DECODER = json.JSONDecoder()
_WHITE_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}

# What may come next.
_VALUE, _FIRST_VALUE, _NAME, _FIRST_NAME, _COLON, _NEXT, _NOTHING = range(7)


def read_json(text: str) -> Any:
    """The document: Members, list, str, Number, bool or None. Raises JsonError."""
    root: list[Any] = []
    open_containers: list[list[Any] | Members] = [root]
    names: list[str] = []
    expected = _VALUE
    for token, value, position in _tokens(text):
        container = open_containers[-1]
        if expected in (_NAME, _FIRST_NAME) and token == "scalar" and isinstance(value, str):
            names.append(value)
            expected = _COLON
        elif expected == _COLON and token == ":":
            expected = _VALUE
        elif expected in (_VALUE, _FIRST_VALUE) and token in "{[scalar":
            made: Any = {"{": Members(begin=position), "[": []}.get(token, value)
            if isinstance(container, Members):
                container.pairs.append((names.pop(), made))
            else:
                container.append(made)
            if token in "{[":
                open_containers.append(made)
            expected = {"{": _FIRST_NAME, "[": _FIRST_VALUE}.get(token, _NEXT)
        elif token in "}]" and _may_close(expected, container, token):
            if isinstance(container, Members):
                container.end = position + 1
            open_containers.pop()
            expected = _NEXT
        elif expected == _NEXT and token == "," and len(open_containers) > 1:
            expected = _NAME if isinstance(container, Members) else _VALUE
        else:
            raise JsonError(f"unexpected {token}")
        if expected == _NEXT and len(open_containers) == 1:
            expected = _NOTHING
    if expected != _NOTHING:
        raise JsonError("unexpected end")
    return root[0]


def _may_close(expected: int, container: list[Any] | Members, token: str) -> bool:
    if isinstance(container, Members):
        return token == "}" and expected in (_FIRST_NAME, _NEXT)
    return token == "]" and expected in (_FIRST_VALUE, _NEXT)


def _tokens(text: str) -> Iterator[tuple[str, Any, int]]:
    position = _skip(text, 0)
    while position < len(text):
        character = text[position]
        if character in "{}[],:":
            yield character, None, position
            position += 1
        elif character == '"':
            try:
                value, end = _DECODER.raw_decode(text, position)
            except ValueError as error:
                raise JsonError(str(error)) from error
            yield "scalar", value, position
            position = end
        elif number := _NUMBER.match(text, position):
            yield "scalar", Number(number.group()), position
            position = number.end()
        else:
            word = next((word for word in _WORDS if text.startswith(word, position)), None)
            if word is None:
                raise JsonError(f"unexpected {character!r}")
            yield "scalar", _WORDS[word], position
            position += len(word)
        position = _skip(text, position)


def _skip(text: str, position: int) -> int:
    white_space = _WHITE_SPACE.match(text, position)
    return white_space.end() if white_space else position

"""A strict reader of JSON that loses nothing: names that occur twice, the text of numbers, lone surrogates.

It keeps its own stack, so that no depth of nesting can exhaust it.
"""

import json
import re
from collections.abc import Callable
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


# White space, then a token: any other character is one that no document holds, and nothing stands for the end.
_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
        (?P<mark>[{}\[\],:])
        | (?P<string>"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+")
        | (?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)
        | (?P<word>true|false|null)
        | (?P<character>.)
        | \Z
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"true": True, "false": False, "null": None}

# What may come next.
_VALUE, _FIRST_VALUE, _NAME, _FIRST_NAME, _COLON, _NEXT, _NOTHING = range(7)


def read_json(text: str) -> Any:
    """The document: Members, list, str, Number, bool or None. Raises JsonError."""
    root: list[Any] = []
    container: list[Any] | Members = root
    around: list[list[Any] | Members] = []
    name = ""
    expected = _VALUE
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            break
        token = match[kind]
        if kind == "string" and expected in (_NAME, _FIRST_NAME):
            name = _string(token)
            expected = _COLON
        elif token == ":" and expected == _COLON:
            expected = _VALUE
        elif token == "," and expected == _NEXT:
            expected = _NAME if isinstance(container, Members) else _VALUE
        elif expected in (_VALUE, _FIRST_VALUE) and (kind != "mark" or token in "{["):
            value = Members(begin=match.start(kind)) if token == "{" else _READ.get(kind, _no_value)(token)
            if isinstance(container, Members):
                container.pairs.append((name, value))
            else:
                container.append(value)
            if kind == "mark":
                around.append(container)
                container = value
                expected = _FIRST_NAME if token == "{" else _FIRST_VALUE
            else:
                expected = _NEXT if around else _NOTHING
        elif kind == "mark" and _may_close(expected, container, token):
            if isinstance(container, Members):
                container.end = match.end()
            container = around.pop()
            expected = _NEXT if around else _NOTHING
        else:
            raise JsonError(f"unexpected {token!r}")
    if expected != _NOTHING:
        raise JsonError("unexpected end")
    return root[0]


def _may_close(expected: int, container: list[Any] | Members, token: str) -> bool:
    if isinstance(container, Members):
        return token == "}" and expected in (_FIRST_NAME, _NEXT)
    return token == "]" and expected in (_FIRST_VALUE, _NEXT)


def _string(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token))
    except ValueError as error:
        raise JsonError(str(error)) from error


def _no_value(token: str) -> Any:
    raise JsonError(f"unexpected {token!r}")


_READ: dict[str, Callable[[str], Any]] = {
    "string": _string,
    "number": Number,
    "word": _WORDS.__getitem__,
    "mark": lambda _: [],
}

"""Writes out what a vector abbreviates, so that files stay readable although bodies are huge."""

from collections.abc import Mapping, Sequence
from typing import Any

Part = str | Mapping[str, Any]


class ShorthandError(ValueError):
    """An abbreviation that stands for nothing."""


def join_parts(parts: Sequence[Part]) -> bytes:
    """The bytes that the parts make: text, {"repeat", "times"} and {"hex", "times"}."""
    return b"".join(_part(part) for part in parts)


def write_out(value: Any) -> Any:
    """The JSON document with every {"$text": …} and {"$repeat": …, "times": …} replaced by what it stands for."""
    if isinstance(value, dict):
        if "$text" in value:
            return _text(value)
        if "$repeat" in value:
            raise ShorthandError("$repeat stands for elements of an array and must be in one")
        return {name: write_out(member) for name, member in value.items()}
    if isinstance(value, list):
        return [written for element in value for written in _elements(element)]
    return value


def _elements(element: Any) -> list[Any]:
    if not (isinstance(element, dict) and "$repeat" in element):
        return [write_out(element)]
    if element.keys() != {"$repeat", "times"} or not isinstance(element["times"], int):
        raise ShorthandError('$repeat needs "times", a whole number, and nothing else')
    return [write_out(element["$repeat"])] * int(element["times"])


def _text(value: Mapping[str, Any]) -> str:
    if value.keys() != {"$text"} or not isinstance(value["$text"], list):
        raise ShorthandError("$text holds a list of parts and has no neighbours")
    return "".join(_text_part(part) for part in value["$text"])


def _text_part(part: Part) -> str:
    if isinstance(part, str):
        return part
    if part.keys() != {"repeat", "times"}:
        raise ShorthandError('a part of $text is a text, or an object with "repeat" and "times"')
    return str(part["repeat"]) * int(part["times"])


def _part(part: Part) -> bytes:
    if isinstance(part, str):
        return part.encode()
    if "hex" in part:
        return bytes.fromhex(part["hex"]) * int(part.get("times", 1))
    return str(part["repeat"]).encode() * int(part["times"])

"""Expands the abbreviations of vector files, which keep huge bodies readable."""

from collections.abc import Mapping, Sequence

from bakeoff.documents.checked import Json


class ShorthandError(ValueError):
    """A malformed abbreviation."""


def join_parts(parts: Sequence[str | Mapping[str, str | int]]) -> bytes:
    """The bytes that the parts make: text, {"repeat", "times"} and {"hex", "times"}."""
    return b"".join(_part(part) for part in parts)


def write_out(value: Json) -> Json:
    """The JSON document with every {"$text": …} and {"$repeat": …, "times": …} expanded."""
    if isinstance(value, dict):
        if "$text" in value:
            return _text(value)
        if "$repeat" in value:
            raise ShorthandError("$repeat stands for elements of an array and must be in one")
        return {name: write_out(member) for name, member in value.items()}
    if isinstance(value, list):
        return written_out(value)
    return value


def written_out(values: Sequence[Json]) -> list[Json]:
    """The elements of an array, expanded in the same way."""
    return [written for element in values for written in _elements(element)]


def _elements(element: Json) -> list[Json]:
    if not (isinstance(element, dict) and "$repeat" in element):
        return [write_out(element)]
    times = element.get("times")
    if element.keys() != {"$repeat", "times"} or not isinstance(times, int):
        raise ShorthandError('$repeat needs "times", a whole number, and nothing else')
    return [write_out(element["$repeat"])] * times


def _text(value: Mapping[str, Json]) -> str:
    parts = value["$text"]
    if value.keys() != {"$text"} or not isinstance(parts, list):
        raise ShorthandError("$text holds a list of parts and has no neighbours")
    return "".join(_text_part(part) for part in parts)


def _text_part(part: Json) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.keys() == {"repeat", "times"} and isinstance(part["times"], int):
        return str(part["repeat"]) * part["times"]
    raise ShorthandError('a part of $text is a text, or an object with "repeat" and "times"')


def _part(part: str | Mapping[str, str | int]) -> bytes:
    if isinstance(part, str):
        return part.encode()
    content = bytes.fromhex(str(part["hex"])) if "hex" in part else str(part["repeat"]).encode()
    return content * int(part.get("times", 1))

"""Text of jsonb as PostgreSQL prints it."""

from collections.abc import Mapping
from typing import Any

from json_reader import Members, Number

_ESCAPES = str.maketrans(
    {chr(code): f"\\u{code:04x}" for code in range(32)}
    | {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def jsonb_text(value: Any) -> str:
    """The text of a value as read by json_reader."""
    match value:
        case Members():
            return object_text(dict(value.pairs))
        case list():
            return "[" + ", ".join(map(jsonb_text, value)) + "]"
        case Number():
            return numeric_text(value.text)
        case str():
            return _string_text(value)
        case None:
            return "null"
        case _:
            return "true" if value else "false"


def object_text(members: Mapping[str, Any]) -> str:
    """An object; its names are ordered by length in bytes, then by bytes."""
    names = sorted(members, key=lambda name: (len(name.encode()), name.encode()))
    return "{" + ", ".join(f"{_string_text(name)}: {jsonb_text(members[name])}" for name in names) + "}"


def numeric_text(literal: str) -> str:
    """A JSON number as `numeric`: no exponent, as many decimals as it was written with, no negative zero."""
    mantissa, _, exponent = literal.lower().lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    shift = int(exponent or 0)
    scale = max(0, len(fraction) - shift)
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "0" + ("." + "0" * scale if scale else "")
    digits += "0" * max(0, shift - len(fraction))
    digits = digits.rjust(scale + 1, "0")
    sign = "-" if literal.startswith("-") else ""
    return sign + (digits[:-scale] + "." + digits[-scale:] if scale else digits)


def _string_text(text: str) -> str:
    return '"' + text.translate(_ESCAPES) + '"'

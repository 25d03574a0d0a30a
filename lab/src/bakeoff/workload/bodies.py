"""Bodies of HTTP requests: JSON and text as they are; forms, parts and bytes encoded from a message."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote_plus

from bakeoff.documents.checked import Json
from bakeoff.workload.slots import AlphanumericSlot, Segment

# Ends each part of a multipart body; formats/README.md.
BOUNDARY = "bakeoff-0b7f3c5e9d1a2468"

CONTENT_TYPES = {
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
    "form": "application/x-www-form-urlencoded",
    "multipart": f"multipart/form-data; boundary={BOUNDARY}",
    "binary": "application/octet-stream",
}
# Kinds with a message that is not the body itself.
ENCODED = ("form", "multipart", "binary")
_FILE = {"filename", "content_type", "text", "base64"}
_FORM = "a form is a JSON object of texts, numbers, true and false, and lists of these"
_PARTS = (
    "parts are a JSON object of values and files, or lists of these; a file has filename, content_type or both, and "
    "either text or base64"
)


class BodyError(ValueError):
    """A message that cannot be such a body; the text describes valid ones."""


def encoded(body: str, message: Json) -> bytes:
    """The body of a message: a document, or a text where the body is text or binary."""
    if body == "binary":
        return _bytes(str(message), "a binary body is written in base64")
    if body == "text":
        return str(message).encode()
    if body == "form":
        return b"&".join(
            f"{_percent(name)}={_percent(_scalar(value, _FORM))}".encode() for name, value in _values(message, _FORM)
        )
    if body == "multipart":
        parts = b"".join(_part(name, value) for name, value in _values(message, _PARTS))
        return parts + f"--{BOUNDARY}--\r\n".encode()
    return json.dumps(message, ensure_ascii=False).encode()


def sample_of_binary(segments: list[Segment]) -> str:
    """A text as long as all that a template of a binary body renders. Raises BodyError where lengths or letters differ.

    Only texts of the base64 alphabet can be checked beforehand.
    """
    parts = []
    for segment in segments:
        if isinstance(segment, AlphanumericSlot):
            parts.append("0" * segment.length)
        elif isinstance(segment, str):
            parts.append(segment)
        else:
            raise BodyError("base64 takes texts and ${alphanumeric N} alone")
    return "".join(parts)


def _values(message: Json, needed: str) -> Iterator[tuple[str, Json]]:
    """Names and values; a list is several values of one name, null is none."""
    if not isinstance(message, Mapping):
        raise BodyError(needed)
    for name, value in message.items():
        values = value if isinstance(value, list) else [value]
        yield from ((name, each) for each in values if each is not None)


def _scalar(value: Json, needed: str) -> str:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, Mapping | list):
        raise BodyError(needed)
    # A number of a conformance case knows how it was written.
    written = getattr(value, "text", None)
    return written if isinstance(written, str) else json.dumps(value)


def _percent(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _part(name: str, value: Json) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{_quoted(name)}"'
    if not isinstance(value, Mapping):
        return f"{head}\r\n\r\n{_scalar(value, _PARTS)}\r\n".encode()
    if not (value.keys() <= _FILE and all(isinstance(each, str) for each in value.values())):
        raise BodyError(_PARTS)
    content_type = str(value.get("content_type", CONTENT_TYPES["binary"] if "filename" in value else ""))
    if not re.fullmatch(r"[ -~]+", content_type) or ("text" in value) == ("base64" in value):
        raise BodyError(_PARTS)
    if "filename" in value:
        head += f'; filename="{_quoted(str(value["filename"]))}"'
    head += f"\r\nContent-Type: {content_type}\r\n\r\n"
    content = str(value["text"]).encode() if "text" in value else _bytes(str(value["base64"]), _PARTS)
    return head.encode() + content + b"\r\n"


def _quoted(text: str) -> str:
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _bytes(text: str, needed: str) -> bytes:
    try:
        return base64.b64decode(text.strip(), validate=True)
    except binascii.Error as error:
        raise BodyError(needed) from error

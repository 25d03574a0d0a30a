"""Media types of files: their names, and the smallest file of each."""

import base64
from mimetypes import MimeTypes

BYTES = "application/octet-stream"
# For `image/*` and its like.
_OF_KIND = {"image": "image/png", "audio": "audio/mpeg", "video": "video/mp4", "text": "text/plain"}
_ARCHIVES = ("application/pdf", "application/zip", "application/gzip", "application/x-gzip", "application/x-tar")
# Smallest files that a reader of their type accepts: pictures of one pixel, an empty page, an empty archive.
_SMALLEST = {
    "image/png": base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC"
    ),
    "image/jpeg": base64.b64decode(
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////"
        "////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AE//Z"
    ),
    "image/gif": base64.b64decode("R0lGODdhAQABAIAAAAAAAAAAACwAAAAAAQABAAAIBAABBAQAOw=="),
    "image/webp": base64.b64decode("UklGRhoAAABXRUJQVlA4TA4AAAAvAAAAAAcQEf0PRET/Aw=="),
    "image/svg+xml": b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
    "application/pdf": (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
    ),
    "application/zip": b"PK\x05\x06" + bytes(18),
    "application/json": b"{}",
}
# The module's own table: the system's files differ from machine to machine.
_TYPES = MimeTypes()


def essence(media_type: str) -> str:
    """A media type without parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def sent_type(media_type: str) -> str:
    """A media type as a request names it: the first of a list, and a usual one in the place of a range."""
    first = media_type.partition(",")[0].strip()
    kind, _, rest = first.partition("/")
    return _OF_KIND.get(kind.lower(), BYTES) if rest.startswith("*") or kind == "*" else first


def ending_of(media_type: str) -> str:
    """The usual ending of a file's name, with its dot; empty where none is known."""
    return _TYPES.guess_extension(essence(media_type)) or ""


def type_of_name(filename: str) -> str:
    """The media type of a file's name."""
    return _TYPES.guess_type(filename)[0] or BYTES


def holds_bytes(media_type: str) -> bool:
    """Whether the content of a media type is a file, without a schema that says so."""
    return media_type in (BYTES, *_ARCHIVES) or media_type.startswith(("image/", "audio/", "video/", "font/"))


def is_made_up(media_type: str) -> bool:
    """Whether the content of a file of a type is random: what reads such files refuses it."""
    return essence(media_type) not in _SMALLEST and essence(media_type) != BYTES


def smallest_file(media_type: str) -> bytes | None:
    """The smallest file of a media type; None where none is known."""
    return _SMALLEST.get(essence(media_type))

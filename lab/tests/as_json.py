"""Records as the documents that other programs read."""

from typing import Any

import msgspec


def as_json(record: object) -> Any:
    """The JSON document of a record."""
    return msgspec.json.decode(msgspec.json.encode(record))

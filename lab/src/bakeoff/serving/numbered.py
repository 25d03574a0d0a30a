"""Numbers of comparisons and runs, as addresses hold them."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request

# Fits the database's widest whole number.
_MOST_DIGITS = 18


def id_in_path(request: Request) -> int:
    """The `{id}` of a route; an address with anything but a number there leads nowhere."""
    found = _id(request.path_params["id"])
    if found is None:
        raise HTTPException(404)
    return found


def ids_in_query(texts: Sequence[str]) -> list[int]:
    """Ids given one by one or with commas between them, each once."""
    parts = dict.fromkeys(part.strip() for text in texts for part in text.split(","))
    ids = []
    for part in parts:
        found = _id(part)
        if found is None:
            raise HTTPException(400, f'"{part[:40]}" is not the number of a run or comparison.')
        ids.append(found)
    return ids


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None

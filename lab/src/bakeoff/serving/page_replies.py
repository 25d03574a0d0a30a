"""Addresses with numbers of comparisons and runs, and answers with a page."""

from collections.abc import Sequence
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from bakeoff.reporting.jinja import templates_of

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


def page(template: str, status: int = 200, *, here: str = "", **values: Any) -> HTMLResponse:
    """One of this package's templates, filled in. `here` is the entry of the navigation that it stands under."""
    words = templates_of("bakeoff.serving").get_template(template).render(here=here, **values)
    return HTMLResponse(words, status)

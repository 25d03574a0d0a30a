"""Addresses with numbers of comparisons and runs, and answers with a page, refusals among them."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bakeoff.errors import NotFoundError
from bakeoff.postgres.server import DatabaseUnreachableError
from bakeoff.project import COMMAND
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


_RETRY_AFTER_S = 5
_FAILED = f"Internal error. See the terminal that runs {COMMAND} serve."
_log = logging.getLogger(__name__)


def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = "There is no such page." if error.status_code == 404 else error.detail
    return page("message.html.j2", error.status_code, words=words)


def _unreachable(_request: Request, error: Exception) -> Response:
    # Addresses and users of the database are for the terminal of the server, not for readers.
    _log.warning("%s", error)
    reply = page("message.html.j2", 503, words="The metrics database cannot be reached. Try again in a few seconds.")
    reply.headers["retry-after"] = str(_RETRY_AFTER_S)
    return reply


HANDLERS: Mapping[int | type[Exception], Callable[[Request, Exception], Response]] = {
    HTTPException: _refused,
    NotFoundError: lambda _request, error: page("message.html.j2", 404, words=str(error)),
    DatabaseUnreachableError: _unreachable,
    psycopg.OperationalError: _unreachable,
    # The server logs the error with its traceback.
    Exception: lambda _request, _error: page("message.html.j2", 500, words=_FAILED),
}
"""By the kind of error; the nearest kind has the word."""

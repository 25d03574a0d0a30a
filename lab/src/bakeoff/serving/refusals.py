"""Replies where a page cannot be shown."""

import logging
from collections.abc import Callable, Mapping

import psycopg
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bakeoff.errors import NotFoundError
from bakeoff.postgres.server import DatabaseUnreachableError
from bakeoff.project import COMMAND
from bakeoff.serving.page_replies import page

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

"""A forge's REST API: JSON over HTTP, and its refusals as errors with words."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.client import HTTPException
from typing import Any

from bakeoff import __version__
from bakeoff.errors import BakeoffError

_TIMEOUT_S = 20.0
# A limit that is lifted later than this is reported: a pipeline pays for each minute that it waits.
_LONGEST_WAIT_S = 60.0
_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_NOT_THERE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)

Answer = Any
"""The document of a reply, whose members the callers know."""


class ForgeError(BakeoffError):
    """The API did not do what was asked."""


class UnreachableError(ForgeError):
    """There was no usable reply: the network, or a failure of the server. Whether it acted is unknown."""


class PermissionDeniedError(ForgeError):
    """The token may not do this."""


class MissingError(ForgeError):
    """There is no such thing, or the token may not know of it."""


class RateLimitedError(ForgeError):
    """Too many requests; the limit is lifted later than a pipeline should wait."""


class Api:
    """An API below a URL. `headers` authorise each request; `wait` takes seconds."""

    def __init__(self, url: str, headers: Mapping[str, str], wait: Callable[[float], None] = time.sleep) -> None:
        self._url = url.rstrip("/")
        self._headers = {
            "User-Agent": f"bakeoff/{__version__}",
            "Accept": "application/json",
            "Content-Type": "application/json",
            **headers,
        }
        self.wait = wait
        self._opener = urllib.request.build_opener(_NoRedirects)

    def ask(self, method: str, path: str, document: Mapping[str, object] | None = None) -> Answer:
        """The document of the reply. A limit that is lifted within a minute is waited for, once."""
        try:
            return self._sent(method, path, document)
        except _LimitedError as error:
            if error.for_s > _LONGEST_WAIT_S:
                raise RateLimitedError(error.message) from error
            self.wait(error.for_s)
        try:
            return self._sent(method, path, document)
        except _LimitedError as error:
            raise RateLimitedError(error.message) from error

    def _sent(self, method: str, path: str, document: Mapping[str, object] | None) -> Answer:
        body = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(f"{self._url}{path}", body, self._headers, method=method)  # noqa: S310
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise self._refusal(f"{method} {path}", error) from error
        except (OSError, HTTPException, ValueError) as error:
            # Neither the URL nor the request has the token.
            raise UnreachableError(f"{self._url} gave no usable reply to {method} {path}: {error}.") from error

    def _refusal(self, asked: str, error: urllib.error.HTTPError) -> ForgeError:
        with error:
            reason = _reason(error)
        words = f"{self._url} replied {error.code} to {asked}: {reason}"
        limited_s = _limited_s(error, reason)
        if limited_s is not None:
            return _LimitedError(f"{words} The rate limit is lifted in {limited_s:,.0f} s.", limited_s)
        if error.code in _REFUSED:
            return PermissionDeniedError(words)
        if error.code in _NOT_THERE:
            return MissingError(words)
        return UnreachableError(words) if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR else ForgeError(words)


class _LimitedError(ForgeError):
    def __init__(self, message: str, for_s: float) -> None:
        super().__init__(message)
        self.for_s = for_s


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirection is a refusal: urllib would send the token to whichever host it names."""

    def redirect_request(self, *_: object) -> None:
        return None


def _limited_s(error: urllib.error.HTTPError, reason: str) -> float | None:
    """For how long the reply is a refusal for too many requests; None where it is another refusal.

    GitHub refuses with 403 or 429: with Retry-After, with the time at which a used-up quota is filled again, or with
    words alone, which then mean a minute. GitLab refuses with 429 and Retry-After.
    """
    if error.code not in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS):
        return None
    after, left, reset = (
        error.headers.get(name, "") for name in ("Retry-After", "X-RateLimit-Remaining", "X-RateLimit-Reset")
    )
    if after.isdecimal():
        return float(after)
    if left == "0" and reset.isdecimal():
        return max(1.0, float(reset) - time.time())
    is_limit = error.code == HTTPStatus.TOO_MANY_REQUESTS or "rate limit" in reason.lower()
    return _LONGEST_WAIT_S if is_limit else None


def _reason(error: urllib.error.HTTPError) -> str:
    """The words of the reply on what is wrong, as a sentence."""
    text = error.read(10_000).decode(errors="replace")
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    message = (document.get("message") or document.get("error")) if isinstance(document, dict) else text
    words = " ".join(str(message or error.reason).split())[:300]
    return words if words.endswith(".") else f"{words}."

"""Who may read: any client on this machine; from elsewhere, clients that know the token."""

import hmac
from typing import ClassVar

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bakeoff.project import COMMAND

_COOKIE = "bakeoff_token"
_MONTH_S = 30 * 24 * 3600


class TokenGate:
    """Lets requests pass that carry the token: as a bearer token, as the cookie, or once as `?token=` in an address.

    An address that carries it is answered with the cookie and the same address without it, so that the token stays in
    no history and no log.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        offered = request.query_params.get("token")
        if offered is not None and self._is_right(offered):
            clean = request.url.remove_query_params("token")
            response = RedirectResponse(f"{clean.path}?{clean.query}" if clean.query else clean.path, 303)
            response.set_cookie(_COOKIE, offered, max_age=_MONTH_S, httponly=True, samesite="strict")
            await response(scope, receive, send)
        elif self._is_right(_bearer(request)) or self._is_right(request.cookies.get(_COOKIE, "")):
            await self._app(scope, receive, send)
        else:
            refusal = PlainTextResponse(
                f"A token is required: open the address that {COMMAND} serve printed.",
                401,
                {"WWW-Authenticate": "Bearer"},
            )
            await refusal(scope, receive, send)

    def _is_right(self, offered: str) -> bool:
        return hmac.compare_digest(offered.encode(), self._token.encode())


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class GuardedPages:
    """Tells browsers to fetch nothing from elsewhere, to frame nothing, and to keep no copy."""

    _HEADERS: ClassVar = {
        "content-security-policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
            " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
    }

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)

"""The web application, put together."""

from collections.abc import Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.reporting.html import shared_styles
from bakeoff.serving.pages import Pages
from bakeoff.serving.refusals import HANDLERS
from bakeoff.serving.token_access import GuardedPages, TokenGate

_LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]


def create_app(
    project: Project, server: Server, token: str | None = None, is_ending: Callable[[], bool] = lambda: False
) -> ASGIApp:
    """The application over a metrics database. Without a token it answers to this machine's own names only.

    A page of somewhere else could have its name lead here (DNS rebinding); a wrong name is refused therefore.
    Answers without an end (what runs now) end when `is_ending` says that the server wants to.
    """
    pages = Pages(project, server, is_ending)
    gate = (
        Middleware(TrustedHostMiddleware, allowed_hosts=_LOOPBACK_NAMES, www_redirect=False)
        if token is None
        else Middleware(TokenGate, token=token)
    )
    routes = [
        Route("/", pages.home),
        Route("/comparisons", pages.comparisons),
        Route("/comparisons/newest", pages.newest),
        Route("/comparisons/{id}.json", pages.comparison_json),
        Route("/comparisons/{id}/report", pages.report),
        Route("/comparisons/{id}", pages.comparison),
        Route("/runs", pages.runs),
        Route("/runs/{id}", pages.run),
        Route("/overlay", pages.overlay),
        Route("/trends", pages.trends),
        Route("/live", pages.live),
        Route("/live/events", pages.live_events),
        Route("/static/report.css", lambda _request: PlainTextResponse(shared_styles(), media_type="text/css")),
        Mount("/static", StaticFiles(directory=Path(__file__).with_name("static"))),
    ]
    # Around everything, the page of an unexpected error too.
    return GuardedPages(Starlette(routes=routes, middleware=[gate], exception_handlers=HANDLERS))

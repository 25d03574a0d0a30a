"""The web application, put together."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.reporting.html import shared_styles
from bakeoff.serving.access import GuardedPages, TokenGate
from bakeoff.serving.pages import Pages

_LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]


def create_app(project: Project, server: Server, token: str | None = None) -> Starlette:
    """The application over a metrics database. Without a token it answers to this machine's own names only.

    A page of somewhere else could have its name lead here (DNS rebinding); a wrong name is refused therefore.
    """
    pages = Pages(project, server)
    gate = (
        Middleware(TrustedHostMiddleware, allowed_hosts=_LOOPBACK_NAMES, www_redirect=False)
        if token is None
        else Middleware(TokenGate, token=token)
    )
    routes = [
        Route("/", pages.home),
        Route("/comparisons", pages.comparisons),
        Route("/comparisons/{id:int}", pages.comparison),
        Route("/comparisons/{id:int}/report", pages.report),
        Route("/comparisons/{id:int}.json", pages.comparison_json),
        Route("/runs", pages.runs),
        Route("/runs/{id:int}", pages.run),
        Route("/overlay", pages.overlay),
        Route("/trends", pages.trends),
        Route("/live", pages.live),
        Route("/live/events", pages.live_events),
        Route("/static/report.css", _report_styles),
        Mount("/static", StaticFiles(directory=Path(__file__).with_name("static"))),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(GuardedPages), gate],
        exception_handlers={HTTPException: _refused, BakeoffError: _not_found, OverflowError: _not_found},
    )


def _report_styles(_request: Request) -> Response:
    return PlainTextResponse(shared_styles(), media_type="text/css")


def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _message(error.status_code, error.detail)


def _not_found(_request: Request, error: Exception) -> Response:
    return _message(404, str(error))


def _message(status: int, words: str) -> HTMLResponse:
    from jinja2 import Environment, PackageLoader

    templates = Environment(loader=PackageLoader("bakeoff.serving"), autoescape=True)
    return HTMLResponse(templates.get_template("message.html.j2").render(here="", words=words), status)

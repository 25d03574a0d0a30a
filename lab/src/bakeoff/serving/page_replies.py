"""Answers with a page."""

from typing import Any

from starlette.responses import HTMLResponse

from bakeoff.reporting.jinja import templates_of


def page(template: str, status: int = 200, *, here: str = "", **values: Any) -> HTMLResponse:
    """One of this package's templates, filled in. `here` is the entry of the navigation that it stands under."""
    words = templates_of("bakeoff.serving").get_template(template).render(here=here, **values)
    return HTMLResponse(words, status)

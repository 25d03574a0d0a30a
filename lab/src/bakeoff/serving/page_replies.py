"""Answers with a page."""

from typing import Any

from starlette.responses import HTMLResponse

from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.reporting.contender_entries import limited_by
from bakeoff.reporting.jinja import templates_of

_KNOWN = {"limited_by": limited_by, "bottleneck_of_run": bottleneck_of_run}
"""What the templates know besides what they are given."""


def page(template: str, status: int = 200, *, here: str = "", **values: Any) -> HTMLResponse:
    """One of this package's templates, filled in. `here` is the entry of the navigation that it stands under."""
    words = templates_of("bakeoff.serving").get_template(template).render(here=here, **_KNOWN, **values)
    return HTMLResponse(words, status)

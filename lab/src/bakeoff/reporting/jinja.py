"""Where every page's templates come from: one way to escape, and one way to write figures."""

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bakeoff.project import COMMAND
from bakeoff.reporting import numbers
from bakeoff.text.prose import listed

_WRITERS = (
    numbers.count, numbers.rate, numbers.three_digits, numbers.p_value, numbers.megabytes, numbers.percent,
    numbers.percent_of_core, numbers.ratio, numbers.seconds, numbers.moment, numbers.minute, listed,
    numbers.few, numbers.plural, numbers.ranks, numbers.grouped,
)  # fmt: skip
_OPTION = re.compile(r"--[a-z][\w-]*")


def options_whole(text: str) -> Markup:
    """The text, whose options, such as --warm-up, a browser does not break at their hyphens."""
    return Markup(_OPTION.sub(r'<span class="option">\g<0></span>', str(escape(text))))  # noqa: S704 — escaped before


@cache
def templates_of(package: str) -> Environment:
    """The templates of a package's folder `templates`. Text is escaped, and a name that is not there is an error."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["command"] = COMMAND
    environment.filters |= {written.__name__: written for written in (*_WRITERS, options_whole)}
    return environment

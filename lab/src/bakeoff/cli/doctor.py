"""`bakeoff doctor`."""

import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import typer

from bakeoff.cli.output import print_json, say
from bakeoff.cli.shared_options import Json
from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.errors import NotFoundError
from bakeoff.project import Project, find_project, tool
from bakeoff.text.table import Table, lines_of

_COLOURS: dict[str, str] = {
    State.OK: "green",
    State.UNKNOWN: "bright_black",
    State.COSTLY: "yellow",
    State.WRONG: "red",
}

_COSTS = "         costs: "
_FIX = "         fix:   "


def doctor(json: Json = False) -> None:
    """Find conditions of this machine that distort results. Show how to fix each."""
    from bakeoff.doctor.examination import examine

    found = list(examine(_project()))
    is_wrong = any(diagnosis.state is State.WRONG for diagnosis in found)
    if json:
        print_json({"checks": [asdict(diagnosis) for diagnosis in found], "wrong": is_wrong})
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for line in _lines([row for each in found for row in _rows(each)], width):
            state, gap, words = line.partition("  ")
            # The library takes colour away where output is no terminal; it does not know the convention of NO_COLOR.
            color = False if os.environ.get("NO_COLOR") else None
            typer.echo(f"{typer.style(state, fg=_COLOURS.get(state.strip()))}{gap}{words}", color=color)
        counts = Counter(diagnosis.state for diagnosis in found)
        say(", ".join(f"{counts[state]} {state}" for state in State if counts[state]))
    if is_wrong:
        raise typer.Exit(1)


def _project() -> Project:
    """The project; where there is none, the place in which the tool keeps its own files."""
    try:
        return find_project()
    except NotFoundError:
        return tool()


def _lines(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    """The table's lines; what is too wide for a terminal continues below its beginning."""
    heading, rule, *lines = lines_of(Table("", ("state", "check", "found"), rows, 3))
    yield from (heading, rule[:width])
    for line in lines:
        below = " " * (len(_COSTS) if line.startswith(" ") else heading.index("found"))
        full = width or len(line)
        yield from textwrap.wrap(line, full, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)


def _rows(diagnosis: Diagnosis) -> Iterator[Sequence[str]]:
    yield (diagnosis.state, diagnosis.subject, diagnosis.found)
    yield from [(f"{_COSTS}{diagnosis.cost}",)] if diagnosis.cost else []
    yield from [(f"{_FIX}{diagnosis.remedy}",)] if diagnosis.remedy else []

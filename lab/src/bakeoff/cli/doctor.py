"""`bakeoff doctor`."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import typer

from bakeoff.cli.runs_output import print_json, say
from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.doctor.examination import examine
from bakeoff.project import find_project

_COLOURS = {State.OK: "green", State.UNKNOWN: "bright_black", State.COSTLY: "yellow", State.WRONG: "red"}


def run_doctor(as_json: bool) -> None:
    """Prints each check. Exit status 1 when something makes results wrong."""
    found: list[Diagnosis] = []
    for diagnosis in examine(find_project()):
        found.append(diagnosis)
        if not as_json:
            _print(diagnosis)
    if as_json:
        print_json({"checks": [asdict(diagnosis) for diagnosis in found], "wrong": _wrong(found)})
    else:
        counts = Counter(diagnosis.state for diagnosis in found)
        say(", ".join(f"{counts[state]} {state}" for state in State if counts[state]))
    if _wrong(found):
        raise typer.Exit(1)


def _print(diagnosis: Diagnosis) -> None:
    state = typer.style(f"{diagnosis.state:7}", fg=_COLOURS[diagnosis.state])
    # The library takes colour away where output is no terminal; the convention of NO_COLOR it does not know.
    color = False if os.environ.get("NO_COLOR") else None
    typer.echo(f"{state}  {diagnosis.subject:20}  {diagnosis.found}", color=color)
    if diagnosis.cost:
        typer.echo(f"{'':31}costs: {diagnosis.cost}")
    if diagnosis.remedy:
        typer.echo(f"{'':31}fix:   {diagnosis.remedy}")


def _wrong(found: Sequence[Diagnosis]) -> bool:
    return any(diagnosis.state is State.WRONG for diagnosis in found)

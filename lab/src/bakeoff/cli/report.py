"""`bakeoff report`."""

import re
import sys
from pathlib import Path

import typer

from bakeoff.cli.runs_output import stored_history
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.judging.judge import judge
from bakeoff.project import find_project
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_files import DOCUMENTS, FORMATS, default_path, write_report
from bakeoff.reporting.text import report_parts
from bakeoff.storage.stored_runs import load_comparison
from bakeoff.text.table import show


def report_comparison(comparison: str | None, form: str, output: Path | None) -> None:
    """Writes the report of a stored comparison; `-` as output, and text without one, go to standard output."""
    if form not in FORMATS:
        raise UsageError(f'There is no format "{form}". Formats: {", ".join(FORMATS)}.')
    printed = str(output) == "-"
    if printed and form not in DOCUMENTS:
        raise UsageError(f"--format {form} makes a folder of pictures: name one with --output.")
    comparison_id = None if comparison is None else comparison_number(comparison)
    project = find_project()
    with stored_history(project) as store:
        stored = load_comparison(store.server, comparison_id)
    report = report_of(judge(stored), stored)
    if form == "text" and output is None:
        show(*report_parts(report))
    elif printed:
        sys.stdout.write(DOCUMENTS[form][1](report))
    else:
        written = write_report(report, form, output or default_path(project.results / "reports", report, form))
        if not written:
            raise BakeoffError(f"Comparison {stored.id} has no chart to draw: nothing was measured.")
        typer.echo(project.relative(written[0] if form in DOCUMENTS else written[0].parent))


def comparison_number(text: str) -> int | None:
    """The id in `c6` or `6`; None for `latest`."""
    if text == "latest":
        return None
    if re.fullmatch(r"c?\d{1,18}", text) is None:
        raise UsageError(f'"{text}" is not a comparison: write c6, 6 or latest. ./bakeoff runs list shows them.')
    return int(text.removeprefix("c"))

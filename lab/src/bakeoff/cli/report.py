"""`bakeoff report`."""

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.shared_options import Where
from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import COMMAND, find_project, path_here


def report(
    comparison: Annotated[str | None, typer.Argument(help="The comparison, such as c6 or 6. [the latest]")] = None,
    format: Annotated[str, typer.Option(help="Format: html, markdown, json, csv, text, svg or png.")] = "html",
    output: Annotated[
        Path | None,
        typer.Option(help="File, or folder for svg and png; - for standard output. [in .bakeoff/results/reports]"),
    ] = None,
    where: Where = None,
) -> None:
    """Write a comparison's report: web page, tables, data, charts."""
    from bakeoff.judging.judge import judge
    from bakeoff.reporting.report import report_of
    from bakeoff.reporting.report_files import DOCUMENTS, FORMATS, default_path, write_report
    from bakeoff.reporting.text import report_parts
    from bakeoff.storage.stored_runs import load_comparison, with_labels
    from bakeoff.text.table import show

    if format not in FORMATS:
        raise UsageError(f'There is no format "{format}". Formats: {", ".join(FORMATS)}.')
    printed = str(output) == "-"
    if printed and format not in DOCUMENTS:
        raise UsageError(f"--format {format} makes a folder of pictures: name one with --output.")
    comparison_id = None if comparison is None else _number(comparison)
    with stored_history() as server:
        stored = load_comparison(server, comparison_id)
    if where:
        stored = with_labels(stored, where)
    found = report_of(judge(stored), stored)
    if format == "text" and output is None:
        show(*report_parts(found))
    elif printed:
        sys.stdout.write(DOCUMENTS[format][1](found))
    else:
        project = find_project()
        written = write_report(
            found, format, output or default_path(project.results / "reports", found, format, where or ())
        )
        if not written:
            raise BakeoffError(f"Comparison {stored.id} has no chart to draw: nothing was measured.")
        typer.echo(path_here(written[0] if format in DOCUMENTS else written[0].parent))


def _number(text: str) -> int | None:
    """The id in `c6` or `6`; None for `latest`."""
    if text == "latest":
        return None
    if re.fullmatch(r"c?\d{1,18}", text) is None:
        raise UsageError(f'"{text}" is not a comparison: write c6, 6 or latest. {COMMAND} runs list shows them.')
    return int(text.removeprefix("c"))

"""`bakeoff run`."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from bakeoff.cli.run_options import RunOptions, request_of
from bakeoff.errors import UsageError
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Judgement
from bakeoff.judging.slo import parse_slo
from bakeoff.postgres.databases import metrics_database
from bakeoff.project import Project, find_project
from bakeoff.results.table import comparison_table
from bakeoff.results.verdict import finding_lines, judgement_table, verdict_lines
from bakeoff.running.comparison import compare, resume
from bakeoff.running.modes import RATE
from bakeoff.running.progress import Progress, shown_on
from bakeoff.running.rate_search import find_capacities
from bakeoff.running.request import ComparisonRequest
from bakeoff.running.series import Comparison
from bakeoff.serving.live import PublishedProgress, live_file
from bakeoff.storage.history import load_comparison


def run_comparison(options: RunOptions) -> None:
    """Measures, then prints the verdict. Exit status 0 when every target that could be built was measured."""
    project = find_project()
    request = None if options.resume else request_of(project, options)
    if options.slo is not None:
        _search(project, request, options)
        return
    with _shown(project, options) as progress:
        comparison = resume(project, progress) if request is None else compare(project, request, progress)
    _print(project, comparison)
    if comparison.interrupted:
        raise KeyboardInterrupt
    if comparison.failed or comparison.unstored or not comparison.runs:
        raise typer.Exit(1)


@contextmanager
def _shown(project: Project, options: RunOptions) -> Iterator[Progress]:
    with (
        shown_on(Console(stderr=True)) as shown,
        PublishedProgress(shown, live_file(project), options.command) as progress,
    ):
        yield progress


def _search(project: Project, request: ComparisonRequest | None, options: RunOptions) -> None:
    """`--slo`: prints the highest rate at which each target keeps the objectives."""
    if request is None or request.mode != RATE:
        raise UsageError("--slo belongs to the mode rate: ./bakeoff run rate --slo 'p99<50ms,errors<0.1%'.")
    slo = parse_slo(options.slo or "")
    with _shown(project, options) as progress:
        capacities = find_capacities(project, request, slo, progress)
    for capacity in capacities:
        rate = "no rate" if capacity.rate_per_s is None else f"{capacity.rate_per_s:,.0f}/s"
        typer.echo(f"{capacity.target}: {rate} with {slo} ({len(capacity.trials)} trials)")


def _print(project: Project, comparison: Comparison) -> None:
    console = Console()
    judgement = _judgement(project, comparison)
    if judgement is not None:
        console.print()
        console.print(judgement_table(judgement))
        for line in (*verdict_lines(judgement), *finding_lines(judgement)):
            console.print(line, markup=False, highlight=False)
    elif comparison.runs:
        console.print()
        console.print(comparison_table(comparison.runs))
    if comparison.not_measured:
        console.print("Not measured:", highlight=False)
        for reason in comparison.not_measured.values():
            console.print(f"  {reason}", markup=False, highlight=False)
    if comparison.unstored:
        console.print(
            f"{comparison.unstored} runs are not in the metrics database: ./bakeoff runs import results stores them.",
            markup=False,
            highlight=False,
        )
    if comparison.runs:
        report = "" if judgement is None else f" · The whole story: ./bakeoff report {judgement.comparison_id}"
        console.print(f"Files of each run: results/<target>/{report}", markup=False, highlight=False)


def _judgement(project: Project, comparison: Comparison) -> Judgement | None:
    """The verdict on all runs that are stored, those before a resumption too; None where there is nothing to judge.

    A smoke run proves that things work; nobody is ranked by five requests.
    """
    if comparison.id is None or comparison.unstored or not comparison.runs or comparison.runs[0].mode == "smoke":
        return None
    with metrics_database(project) as server:
        return judge(load_comparison(server, comparison.id))

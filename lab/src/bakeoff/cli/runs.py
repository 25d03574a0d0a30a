"""`bakeoff runs`: the options of each command; what they do lies in `bakeoff.history`."""

from pathlib import Path
from typing import Annotated

import typer

from bakeoff.cli.completion import complete_mode, complete_target
from bakeoff.history.changed_workload import OPTION, OPTION_HELP

runs_app = typer.Typer(
    help="List, show, compare, export, import and clean up stored runs.",
    invoke_without_command=True,
    rich_markup_mode=None,
)

Target = Annotated[
    str | None, typer.Option("--target", help="Only runs of this target.", autocompletion=complete_target)
]
# With the name that the original scripts gave it.
TargetOrApi = Annotated[
    str | None, typer.Option("--target", "--api", help="Only runs of this target.", autocompletion=complete_target)
]
Mode = Annotated[
    str | None,
    typer.Option(
        help="Only runs of this mode: smoke, quick, full, saturation, rate, equal or count.",
        autocompletion=complete_mode,
    ),
]
Payload = Annotated[str | None, typer.Option(help="Only runs of this message size: default, 4k, 8k, 32k, 64k.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AllowChangedWorkload = Annotated[bool, typer.Option(OPTION, help=OPTION_HELP)]
References = Annotated[
    list[str], typer.Argument(help="Two or more of: a run (42), a comparison (c7), latest, FILE.json, a git reference.")
]


@runs_app.callback()
def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@runs_app.command("list")
def list_command(
    target: TargetOrApi = None,
    mode: Mode = None,
    payload: Payload = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of runs, newest first.")] = 20,
    before: Annotated[int | None, typer.Option(min=1, help="Only runs older than this run (for paging).")] = None,
    json: Json = False,
) -> None:
    """List stored runs, newest first."""
    from bakeoff.cli.runs_output import list_runs
    from bakeoff.history.listing import RunFilter

    list_runs(RunFilter(target, mode, payload), limit, before, json)


@runs_app.command()
def show(
    run: Annotated[str, typer.Argument(help="A run (42), or a comparison (c7 or latest) for each of its runs.")],
    json: Json = False,
) -> None:
    """Show a run: phases, cost, bottleneck, PostgreSQL activity, environment and findings."""
    from bakeoff.cli.runs_output import show_run

    show_run(run, json)


@runs_app.command()
def export(
    run: Annotated[str, typer.Argument(help="A run (42), a comparison (c7), latest or a git reference.")],
    file: Annotated[Path | None, typer.Argument(help="File to write. [standard output]")] = None,
    format: Annotated[str, typer.Option(help="Format: json (everything) or csv (one row per phase).")] = "json",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a stored run, or all runs of a comparison, as JSON or CSV."""
    from bakeoff.cli.runs_output import export_runs

    export_runs(run, file, format, force)


@runs_app.command("import")
def import_command(
    file: Annotated[list[Path] | None, typer.Argument(help="Result files, or folders of them. [results/]")] = None,
    json: Json = False,
) -> None:
    """Store result files that the metrics database does not contain."""
    from bakeoff.cli.runs_output import import_runs

    import_runs(file or [], json)


@runs_app.command()
def compare(reference: References, allow_changed_workload: AllowChangedWorkload = False, json: Json = False) -> None:
    """Compare stored runs or comparisons with the first one."""
    from bakeoff.cli.runs_output import compare_runs

    compare_runs(reference, allow_changed_workload, json)


@runs_app.command()
def summary(
    comparison: Annotated[
        bool, typer.Option("--comparison", help="Show the latest run of each target, fastest first.")
    ] = False,
    mode: Mode = None,
    payload: Payload = None,
    json: Json = False,
) -> None:
    """Summarise the contents of the metrics database."""
    from bakeoff.cli.runs_output import compare_latest, summarise

    if comparison:
        compare_latest(mode, payload, json)
    else:
        summarise(mode, payload, json)


@runs_app.command()
def cleanup(
    days: Annotated[float | None, typer.Option(min=0, help="Remove runs older than this many days.")] = None,
    keep: Annotated[int | None, typer.Option(min=0, help="Keep this many of the newest runs of each target.")] = None,
    target: Target = None,
    files: Annotated[
        bool,
        typer.Option(
            "--files", help="Remove the runs' files in results/ too, and the logs of targets that have none left."
        ),
    ] = False,
    execute: Annotated[
        bool, typer.Option("--execute", help="Remove them; without it, only show what would be removed.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove old runs; a dry run unless --execute is given. With --days and --keep, both must apply."""
    from bakeoff.cli.runs_output import CleanupOptions, clean_up_runs

    clean_up_runs(CleanupOptions(days, keep, target, files, execute, json))


@runs_app.command()
def trend(
    target: Annotated[str, typer.Option(help="Target.", autocompletion=complete_target)],
    metric: Annotated[
        str,
        typer.Option(
            help="Metric: throughput, mean, min, p50, p90, p95, p99, p99.9, max, errors, cpu, memory, database-cpu, "
            "sent or received."
        ),
    ] = "throughput",
    mode: Annotated[str, typer.Option(help="Runs of this mode.", autocompletion=complete_mode)] = "quick",
    payload: Annotated[str, typer.Option(help="Runs of this message size.")] = "default",
    operation: Annotated[str | None, typer.Option(help="One operation of the workload. [all together]")] = None,
    limit: Annotated[int, typer.Option(min=6, max=10_000, help="Maximum number of runs, newest first.")] = 500,
    allow_changed_workload: AllowChangedWorkload = False,
    json: Json = False,
) -> None:
    """Show one metric over time and its change points."""
    from bakeoff.cli.trend import TrendOptions, show_trend

    show_trend(TrendOptions(target, metric, mode, payload, operation, limit, allow_changed_workload, json))

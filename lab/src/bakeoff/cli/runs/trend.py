"""`bakeoff runs trend`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.completion import complete_mode, complete_target
from bakeoff.cli.output import print_json, say
from bakeoff.cli.runs.listing import why_none
from bakeoff.cli.shared_options import AllowChangedWorkload, Json
from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import UsageError
from bakeoff.history.changed_workload import MARK, changed_at, refuse_changed
from bakeoff.history.run_figures import METRICS, Metric, RunFigures
from bakeoff.reporting.numbers import minute, plural, two_places
from bakeoff.text.sparkline import sparkline

if TYPE_CHECKING:
    from bakeoff.history.trends import ChangePoint, NewestSeries
    from bakeoff.postgres.server import Server


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
    from bakeoff.history.listing import RunFilter, list_runs
    from bakeoff.history.trends import newest_series
    from bakeoff.history.trends import trend as changes_of

    if metric not in METRICS:
        raise UsageError(f'--metric is "{metric}": use {", ".join(METRICS)}.')
    figure = METRICS[metric]
    wanted = RunFilter(target, mode, payload)
    with stored_history() as server:
        runs = list_runs(server, wanted, limit, None).runs
        hint = "" if runs else why_none(server, wanted)
        series = newest_series(_of_operation(server, runs, operation), figure)
    refuse_changed(series.runs, allowed=allow_changed_workload)
    values = [value for run in series.runs if (value := figure.of(run)) is not None]
    changes = changes_of(values)
    if json:
        names = {"target": target, "metric": metric, "operation": operation, "unit": figure.unit}
        print_json({**names, **_document(series.runs, values, changes)})
    elif not series.runs:
        of = target if operation is None else f"{operation} of {target}"
        say(hint or f"No completed run of {of} has a figure for {metric}.")
    else:
        _print(figure, series, values, changes)


def _of_operation(server: "Server", runs: Sequence[RunFigures], operation: str | None) -> Sequence[RunFigures]:
    """The runs themselves, or one operation of each."""
    from bakeoff.history.operation_figures import stored_operations

    if operation is None or not runs:
        return runs
    found = stored_operations(server, runs)
    known = sorted({each.operation for each in found})
    if operation not in known:
        raise UsageError(f'--operation is "{operation}": these runs have {", ".join(known) or "no operations"}.')
    return [each for each in found if each.operation == operation]


def _document(
    runs: Sequence[RunFigures], values: Sequence[float], changes: "Sequence[ChangePoint]"
) -> dict[str, object]:
    return {
        "points": [
            {"run": run.id, "started_at": run.started_at, "commit": run.commit, "value": value}
            for run, value in zip(runs, values, strict=True)
        ],
        "changes": [{"run": runs[change.index].id, **asdict(change), "change": change.change} for change in changes],
        "workload_changed_at": [run.id for run in changed_at(runs)],
    }


def _print(metric: Metric, series: "NewestSeries", values: Sequence[float], changes: "Sequence[ChangePoint]") -> None:
    from bakeoff.history.trends import SHORTEST_SEGMENT

    runs = series.runs
    typer.echo(f"{runs[-1].series.label} · {metric.name} ({metric.unit}), {plural(len(runs), 'run')}, oldest first")
    least, most = min(values), max(values)
    typer.echo(f"{sparkline(values, baseline=least)}  {two_places(least)} to {two_places(most)}")
    for run in changed_at(runs):
        typer.echo(f"{minute(run.started_at)} UTC, run {run.id}: {MARK}")
    for change in changes:
        run = runs[change.index]
        at_commit = f", commit {run.commit[:12]}" if run.commit else ""
        typer.echo(
            f"{minute(run.started_at)} UTC, run {run.id}{at_commit}: {change.change:+.1%} "
            f"({two_places(change.before)} → {two_places(change.after)} {metric.unit})"
        )
    if len(values) < 2 * SHORTEST_SEGMENT:
        say(f"A change shows from {2 * SHORTEST_SEGMENT} runs on.")
    elif not changes:
        typer.echo("No change of level.")
    if series.left_out:
        say(f"{series.left_out:,} runs with another load, engine or other settings are left out.")

"""`bakeoff runs trend`."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import typer

from bakeoff.cli.runs_output import print_json, say, stored_history, why_none
from bakeoff.errors import UsageError
from bakeoff.history.changed_workload import MARK, changed_at, refuse_changed
from bakeoff.history.listing import RunFilter, list_runs
from bakeoff.history.operation_figures import stored_operations
from bakeoff.history.run_figures import METRICS, Metric, RunFigures
from bakeoff.history.series import NewestSeries, newest_series
from bakeoff.history.trends import SHORTEST_SEGMENT, ChangePoint, trend
from bakeoff.project import find_project
from bakeoff.reporting.numbers import minute, two_places
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.text.sparkline import sparkline


@dataclass(frozen=True)
class TrendOptions:
    """The command line's options, as typed."""

    target: str
    metric: str
    mode: str
    payload: str
    operation: str | None
    limit: int
    allow_changed_workload: bool
    as_json: bool


def show_trend(options: TrendOptions) -> None:
    """One metric over time, of all operations together or of one."""
    if options.metric not in METRICS:
        raise UsageError(f'--metric is "{options.metric}": use {", ".join(METRICS)}.')
    metric = METRICS[options.metric]
    wanted = RunFilter(options.target, options.mode, options.payload)
    with stored_history(find_project()) as store:
        runs = list_runs(store.server, wanted, options.limit, None).runs
        hint = "" if runs else why_none(store, wanted)
        series = newest_series(_of_operation(store, runs, options.operation), metric)
    refuse_changed(series.runs, allowed=options.allow_changed_workload)
    values = [value for run in series.runs if (value := metric.of(run)) is not None]
    changes = trend(values)
    if options.as_json:
        print_json(_document(options, metric, series.runs, values, changes))
    elif not series.runs:
        of = options.target if options.operation is None else f"{options.operation} of {options.target}"
        say(hint or f"No completed run of {of} has a figure for {options.metric}.")
    else:
        _print(metric, series, values, changes)


def _of_operation(store: MetricsStore, runs: Sequence[RunFigures], operation: str | None) -> Sequence[RunFigures]:
    """The runs themselves, or one operation of each."""
    if operation is None or not runs:
        return runs
    found = stored_operations(store.server, runs)
    known = sorted({each.operation for each in found})
    if operation not in known:
        raise UsageError(f'--operation is "{operation}": these runs have {", ".join(known) or "no operations"}.')
    return [each for each in found if each.operation == operation]


def _document(
    options: TrendOptions,
    metric: Metric,
    runs: Sequence[RunFigures],
    values: Sequence[float],
    changes: Sequence[ChangePoint],
) -> dict[str, object]:
    return {
        "target": options.target,
        "metric": metric.name,
        "operation": options.operation,
        "unit": metric.unit,
        "points": [
            {"run": run.id, "started_at": run.started_at, "commit": run.commit, "value": value}
            for run, value in zip(runs, values, strict=True)
        ],
        "changes": [{"run": runs[change.index].id, **asdict(change), "change": change.change} for change in changes],
        "workload_changed_at": [run.id for run in changed_at(runs)],
    }


def _print(metric: Metric, series: NewestSeries, values: Sequence[float], changes: Sequence[ChangePoint]) -> None:
    runs = series.runs
    typer.echo(f"{runs[-1].series.label} · {metric.name} ({metric.unit}), {len(runs):,} runs, oldest first")
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

"""Stored runs as tables."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from bakeoff.history.run_figures import METRICS, RunFigures
from bakeoff.reporting.missing_percentiles import explained
from bakeoff.reporting.numbers import NOTHING, grouped, minute, number, two_places
from bakeoff.results.run import Status
from bakeoff.text.table import Table

if TYPE_CHECKING:
    from bakeoff.history.cleanup import TargetCleanup
    from bakeoff.history.comparing import SideBySide
    from bakeoff.history.overview import Overview

_AT_BEST = ("at", "ops/s", "min", "mean", "p50", "p99", "failed")
_STARTED = "started (UTC)"
_LEAST = ("min", "mean", "CPU", "MB", "of", "p50", _STARTED, "payload", "at")


def runs_table(runs: Sequence[RunFigures]) -> Table:
    """A row for each run."""
    headings = ("run", "of", _STARTED, "target", "mode", "payload", "status", *_AT_BEST)
    rows = [
        (
            *(str(run.id), f"c{run.comparison_id}", minute(run.started_at), name_of(run)),
            *(run.mode, run.payload, run.status, *_figures(run)),
        )
        for run in runs
    ]
    return explained(Table("", headings, rows, left=8, least=_LEAST))


def _figures(run: RunFigures) -> Sequence[str]:
    """At the load at which it did most, as `run` shows it; failures of all loads.

    None of an interrupted run: its phases did not come to their end.
    """
    if run.status == Status.INTERRUPTED:
        return [NOTHING] * len(_AT_BEST)
    latencies = (run.best_min_ms, run.best_mean_ms, run.best_p50_ms, run.best_p99_ms)
    per_s = number(run.best_throughput_per_s, 0)
    return (grouped(run.best_load or NOTHING), per_s, *map(two_places, latencies), share(run.error_rate))


def latest_tables(runs: Sequence[RunFigures]) -> Iterator[Table]:
    """The latest run of each target: a table for each workload, since nothing compares across them."""
    headings = ("target", "mode", "payload", _STARTED, "run", *_AT_BEST, "CPU", "MB")
    workloads = dict.fromkeys(run.workload for run in runs)
    for workload in workloads:
        rows = [
            (
                *(name_of(run), run.mode, run.payload, minute(run.started_at), str(run.id), *_figures(run)),
                *(two_places(run.target_cpu_us_each), two_places(run.target_memory_peak_mb)),
            )
            for run in runs
            if run.workload == workload
        ]
        yield explained(Table(workload if len(workloads) > 1 else "", headings, rows, left=4, least=_LEAST))


def overview_parts(overview: "Overview") -> Iterator[Table | str]:
    """Counts in total, then a row for each target."""
    everything = overview.all
    yield (
        f"{everything.runs:,} runs in {overview.comparisons:,} comparisons, "
        f"{_moment(everything.first)} to {_moment(everything.last)} UTC, {overview.bytes / 1e6:,.0f} MB"
    )
    for words, counts in (("by status:", overview.statuses), ("by mode:  ", overview.modes)):
        yield f"{words} {', '.join(f'{count:,} {name}' for name, count in counts.items())}"
    rows = [
        (target, f"{counted.runs:,}", f"{counted.completed:,}", _moment(counted.first), _moment(counted.last))
        for target, counted in overview.targets.items()
    ]
    headings = ("target", "runs", "completed", "first (UTC)", "last (UTC)")
    yield Table("", headings, rows, least=("first (UTC)", "completed"))


def comparison_of_references(compared: "SideBySide") -> Table:
    """A row for each metric, a column for each reference, with the change from the first."""
    rows = []
    for metric in METRICS.values():
        cells = []
        for column in compared.columns:
            value = column.medians.get(metric.name)
            shown = share(value) if metric.name == "errors" else f"{two_places(value)} {metric.unit}"
            change = compared.change(metric.name, column)
            cells.append(NOTHING if value is None else shown if change is None else f"{shown} ({relative(change)})")
        # The cost of a process is not divided among operations.
        if any(cell != NOTHING for cell in cells):
            rows.append((metric.name, *cells))
    headings = [each.reference + (f" (median of {each.runs})" if each.runs > 1 else "") for each in compared.columns]
    return Table(compared.title, ["", *headings], rows)


def cleanup_table(targets: "Sequence[TargetCleanup]", executed: bool) -> Table:
    """The runs of each target that are removed and kept."""
    rows = [
        (each.target, f"{each.removed:,}", f"{each.kept:,}", _moment(each.oldest_removed), _moment(each.newest_removed))
        for each in targets
    ]
    removed = "removed" if executed else "to be removed"
    return Table("", ("target", removed, "kept", "oldest (UTC)", "newest (UTC)"), rows)


def name_of(run: RunFigures) -> str:
    """The contender, or the target where the contender's name does not begin with it."""
    return run.contender if run.contender.startswith(run.target) else run.target


def share(value: float | None) -> str:
    """A share as per cent; nothing failed is a plain 0."""
    return NOTHING if value is None else "0" if value == 0 else f"{value:.2%}"


def relative(change: float) -> str:
    """A relative change, as per cent or, where that would be a large number, as a factor."""
    return f"{1 + change:.1f}×" if change >= 2 else f"{change:+.1%}"


def _moment(value: datetime | None) -> str:
    return NOTHING if value is None else minute(value)

"""How history is shown: plain text tables.

Not the library that draws the other tables: to load it takes as long as all else that a list does.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from bakeoff.history.run_figures import METRICS, RunFigures
from bakeoff.results.run import Status

if TYPE_CHECKING:
    from bakeoff.history.cleanup import TargetCleanup
    from bakeoff.history.comparing import SideBySide
    from bakeoff.history.overview import Overview

NOTHING = "–"


def aligned(headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table; the first `left` columns are aligned left, the others right."""
    lines = [list(headings), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    lines.insert(1, ["─" * width for width in widths])
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


_AT_BEST = ("at", "ops/s", "min", "mean", "p50", "p99", "failed")


def runs_table(runs: Sequence[RunFigures]) -> str:
    """A row for each run."""
    headings = (
        *("run", "of", "started (UTC)", "target", "mode", "payload", "status"),
        *_AT_BEST,
    )
    return aligned(
        headings,
        (
            (
                str(run.id),
                f"c{run.comparison_id}",
                moment(run.started_at),
                name_of(run),
                run.mode,
                run.payload,
                run.status,
                *_figures(run),
            )
            for run in runs
        ),
        left=8,
    )


def _figures(run: RunFigures) -> list[str]:
    """At the load at which it did most, as `run` shows it; failures of all loads.

    None of an interrupted run: its phases did not come to their end.
    """
    if run.status == Status.INTERRUPTED:
        return [NOTHING] * len(_AT_BEST)
    return [
        run.best_load or NOTHING,
        rate(run.best_throughput_per_s),
        *(milliseconds(value) for value in (run.best_min_ms, run.best_mean_ms, run.best_p50_ms, run.best_p99_ms)),
        share(run.error_rate),
    ]


def latest_tables(runs: Sequence[RunFigures]) -> str:
    """The latest run of each target: a table for each workload, since nothing compares across them."""
    workloads = dict.fromkeys(run.workload for run in runs)
    if len(workloads) < 2:
        return _latest_table(runs)
    return "\n\n".join(f"{name}\n{_latest_table([run for run in runs if run.workload == name])}" for name in workloads)


def _latest_table(runs: Sequence[RunFigures]) -> str:
    headings = ("target", "mode", "payload", "started (UTC)", "run", *_AT_BEST, "CPU", "MB")
    return aligned(
        headings,
        (
            (
                name_of(run),
                run.mode,
                run.payload,
                moment(run.started_at),
                str(run.id),
                *_figures(run),
                number(run.target_cpu_us_each),
                number(run.target_memory_peak_mb),
            )
            for run in runs
        ),
        left=4,
    )


def overview_text(overview: "Overview") -> str:
    """Counts in total, then a row for each target."""
    everything = overview.all
    assert everything.first is not None and everything.last is not None
    lines = [
        f"{everything.runs:,} runs in {overview.comparisons:,} comparisons, "
        f"{moment(everything.first)} to {moment(everything.last)} UTC, {overview.bytes / 1e6:,.0f} MB",
        f"by status: {_counts(overview.statuses.items())}",
        f"by mode:   {_counts(overview.modes.items())}",
    ]
    rows = (
        (target, f"{counted.runs:,}", f"{counted.completed:,}", moment(counted.first), moment(counted.last))
        for target, counted in overview.targets.items()
    )
    table = aligned(("target", "runs", "completed", "first (UTC)", "last (UTC)"), rows)
    return "\n".join([*lines, "", table])


def comparison_text(compared: "SideBySide") -> str:
    """A row for each metric, a column for each reference, with the change from the first."""
    headings = ["", *(f"{column.reference}{_of_runs(column.runs)}" for column in compared.columns)]
    rows = []
    for metric in METRICS.values():
        cells = []
        for column in compared.columns:
            value = column.medians.get(metric.name)
            shown = share(value) if metric.name == "errors" else f"{number(value)} {metric.unit}"
            change = compared.change(metric.name, column)
            cells.append(NOTHING if value is None else shown if change is None else f"{shown} ({relative(change)})")
        # What belongs to a process is no operation's own.
        if any(cell != NOTHING for cell in cells):
            rows.append((metric.name, *cells))
    title = f"{compared.title}\n" if compared.title else ""
    return title + aligned(headings, rows)


def cleanup_table(targets: "Sequence[TargetCleanup]", executed: bool) -> str:
    """What goes and what stays, for each target."""
    headings = ("target", "removed" if executed else "to be removed", "kept", "oldest (UTC)", "newest (UTC)")
    return aligned(
        headings,
        (
            (
                each.target,
                f"{each.removed:,}",
                f"{each.kept:,}",
                moment(each.oldest_removed),
                moment(each.newest_removed),
            )
            for each in targets
        ),
    )


def name_of(run: RunFigures) -> str:
    """The target, and its contender where that says more."""
    return run.contender if run.contender.startswith(run.target) else run.target


def moment(value: datetime | None) -> str:
    """To the minute, UTC: the database's connection speaks UTC."""
    return NOTHING if value is None else f"{value:%Y-%m-%d %H:%M}"


def rate(value: float | None) -> str:
    """Whole operations a second."""
    return NOTHING if value is None else f"{value:,.0f}"


def milliseconds(value: float | None) -> str:
    """Three significant digits."""
    return NOTHING if value is None else number(value)


def share(value: float | None) -> str:
    """A share as per cent; nothing failed is a plain 0."""
    return NOTHING if value is None else "0" if value == 0 else f"{value:.2%}"


def number(value: float | None) -> str:
    """Three significant digits: measurements are not more precise."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def relative(change: float) -> str:
    """A relative change, as per cent or, where that would be a large number, as a factor."""
    return f"{1 + change:.1f}×" if change >= 2 else f"{change:+.1%}"


def _of_runs(count: int) -> str:
    return "" if count == 1 else f" (median of {count})"


def _counts(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts)

"""Count-bound phases with the columns of other tools of that kind, so that their lines can be compared."""

from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import Group
from rich.table import Table

from bakeoff.reporting.numbers import NOTHING, count, milliseconds, rate
from bakeoff.reporting.run_table import was_interrupted
from bakeoff.results import histograms
from bakeoff.results.run import Measured, PhaseResult, RunResult

PERCENTILES = (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
_NS_PER_MS = 1e6


def count_tables(scenarios: Mapping[str, Sequence[RunResult]]) -> Group:
    """Throughput and latency of each phase of each scenario's runs; the name of a single scenario may be empty."""
    rows = [row for scenario, runs in scenarios.items() for row in _rows(scenario, runs)]
    summary = _table(("scenario", "requests", "concurrency", "requests/s", "average ms", "success"))
    latency = _table(("scenario", "fastest", *(f"p{each:g}" for each in PERCENTILES), "slowest"))
    latency.caption = "latency in ms · requests/s: from the first request sent to the last reply"
    latency.caption_justify = "left"
    for name, phase in rows:
        measured = None if phase is None else phase.measured
        users = 0 if phase is None else phase.virtual_users
        summary.add_row(name, *_summary(measured, users))
        latency.add_row(name, *_latency(measured))
    return Group(summary, latency)


def _rows(scenario: str, runs: Sequence[RunResult]) -> Iterator[tuple[str, PhaseResult | None]]:
    several = len({run.contender or run.target for run in runs}) > 1
    for run in runs:
        name = ", ".join(part for part in (scenario, (run.contender or run.target) if several else "") if part)
        phases: Sequence[PhaseResult | None] = () if was_interrupted(run) else run.phases
        yield from ((name or run.contender or run.target, phase) for phase in phases or (None,))


def _summary(measured: Measured | None, users: int) -> Sequence[str]:
    if measured is None:
        return [NOTHING] * 5
    return (
        count(measured.requests),
        count(users),
        rate(measured.throughput_per_s),
        milliseconds(measured.latency.mean_ms),
        f"{100 * (1 - measured.error_rate):.4g}%",
    )


def _latency(measured: Measured | None) -> Sequence[str]:
    if measured is None or not measured.latency.count:
        return [NOTHING] * (len(PERCENTILES) + 2)
    histogram = histograms.merge([measured.histogram])
    at = [histogram.get_value_at_percentile(each) / _NS_PER_MS for each in PERCENTILES]
    return [milliseconds(value) for value in (measured.latency.min_ms, *at, measured.latency.max_ms)]


def _table(headings: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table

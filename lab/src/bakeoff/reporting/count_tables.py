"""Count-bound phases with the columns of other tools of that kind, so that their lines can be compared."""

from collections.abc import Iterator, Mapping, Sequence

from bakeoff.reporting.numbers import NOTHING, count, rate, two_places
from bakeoff.reporting.run_table import was_interrupted
from bakeoff.results import histograms
from bakeoff.results.run import PhaseResult, RunResult
from bakeoff.text.table import Table

PERCENTILES = (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
_NS_PER_MS = 1e6


def count_tables(scenarios: Mapping[str, Sequence[RunResult]]) -> list[Table]:
    """Throughput and latency of each phase of each scenario's runs; the name of a single scenario may be empty."""
    phases = [row for scenario, runs in scenarios.items() for row in _rows(scenario, runs)]
    summary = [(name, *_summary(phase)) for name, phase in phases]
    latency = [(name, *_latency(phase)) for name, phase in phases]
    note = "Latency in ms. requests/s: from the first request sent to the last reply."
    percentiles = [f"p{each:g}" for each in PERCENTILES]
    return [
        Table("", ("scenario", "requests", "concurrency", "requests/s", "average ms", "success"), summary),
        Table("", ("scenario", "fastest", *percentiles, "slowest"), latency, note=note, least=percentiles[:2]),
    ]


def _rows(scenario: str, runs: Sequence[RunResult]) -> Iterator[tuple[str, PhaseResult | None]]:
    several = len({run.name for run in runs}) > 1
    for run in runs:
        name = ", ".join(part for part in (scenario, run.name if several else "") if part)
        phases: Sequence[PhaseResult | None] = () if was_interrupted(run) else run.phases
        yield from ((name or run.name, phase) for phase in phases or (None,))


def _summary(phase: PhaseResult | None) -> Sequence[str]:
    if phase is None:
        return [NOTHING] * 5
    measured = phase.measured
    return (
        count(measured.requests),
        count(phase.virtual_users),
        rate(measured.throughput_per_s),
        two_places(measured.latency.shown["mean"]),
        f"{100 * (1 - measured.error_rate):.4g}%",
    )


def _latency(phase: PhaseResult | None) -> Sequence[str]:
    if phase is None or not phase.measured.latency.count:
        return [NOTHING] * (len(PERCENTILES) + 2)
    measured = phase.measured
    histogram = histograms.merge([measured.histogram])
    at = [value / _NS_PER_MS for value in histograms.values_at(histogram, PERCENTILES)]
    return [two_places(value) for value in (measured.latency.min_ms, *at, measured.latency.max_ms)]

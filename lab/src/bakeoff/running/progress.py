"""The progress of a run as it is reported, and words for the records of its stream."""

from collections.abc import Mapping
from typing import Protocol

from bakeoff.engines.stream import Counted, PhaseStart, Record
from bakeoff.results.run import RunResult


class Progress(Protocol):
    """Receives what happens; decides how to show it."""

    def say(self, line: str) -> None:
        """Something that stays on the screen."""

    def step(self, title: str, planned_s: float | None = None) -> None:
        """A new piece of work has begun; it takes about `planned_s` where that is known."""

    def detail(self, text: str) -> None:
        """Detail of the current work; may be dropped."""

    def record(self, record: Record) -> None:
        """A record of the engine's stream has arrived."""

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        """CPU of each role now, per cent of one core."""

    def run_of(self, number: int, count: int, left_s: float) -> None:
        """A comparison begins its run `number` of `count`; all that are left take about `left_s`."""

    def standing(self, result: RunResult) -> None:
        """A run that counts has ended."""


def users_of(phase_start: PhaseStart) -> str:
    """A phase and its load, in a few words."""
    users = phase_start.virtual_users
    return f"{phase_start.name}, {users:,} virtual user{'' if users == 1 else 's'}"


def live_figures(record: Counted, seconds: float) -> str:
    """Throughput, latency and errors of a record, in a few words."""
    rate = record.operations / seconds if seconds > 0 else 0.0
    errors = f" · {record.failed:,} failed" if record.failed else ""
    return f"{rate:,.0f}/s · {p99_words(record)}{errors}"


def p99_words(*records: Counted) -> str:
    """p99 of seconds or a phase, in words; a dash where nothing was answered."""
    value = p99_ms(*records)
    return "p99 –" if value is None else f"p99 {value:.1f} ms"


def p99_ms(*records: Counted) -> float | None:
    """p99 of seconds or a phase, of however few requests; None where nothing was answered."""
    from bakeoff.results import histograms

    latency = histograms.summarise(histograms.merge([record.latency_histogram for record in records]))
    return round(latency.percentiles_ms["p99"], 3) if latency.count else None

"""What a person sees while the lab works: a live view on a terminal, plain lines elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from bakeoff.engines.stream import Record
from bakeoff.running.estimate import words_for
from bakeoff.running.result import RunResult

if TYPE_CHECKING:
    from rich.console import Console


class Progress(Protocol):
    """Told what happens; decides how to show it."""

    def say(self, line: str) -> None:
        """Something that stays on the screen."""
        ...

    def step(self, title: str, planned_s: float | None = None) -> None:
        """A new piece of work has begun; it takes about `planned_s` where that is known."""
        ...

    def detail(self, text: str) -> None:
        """What the work is at now; may be dropped."""
        ...

    def record(self, record: Record) -> None:
        """A record of the engine's stream has arrived."""
        ...

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        """What each role uses now, per cent of one core."""
        ...

    def run_of(self, number: int, count: int, left_s: float) -> None:
        """A comparison begins its run `number` of `count`; all that are left take about `left_s`."""
        ...

    def standing(self, result: RunResult) -> None:
        """A run that counts has ended."""
        ...


class PlainProgress:
    """A line for each step; nothing moves."""

    def __init__(self, console: "Console") -> None:
        self._console = console

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def step(self, title: str, planned_s: float | None = None) -> None:
        self.say(title if planned_s is None else f"{title} (about {words_for(planned_s)})")

    def detail(self, text: str) -> None:
        pass

    def record(self, record: Record) -> None:
        if record["type"] == "phase_start":
            self.say(f"  {users_of(record)}")
        elif record["type"] == "phase_end":
            self.say(f"    {live_figures(record, record['duration_ns'] / 1e9)}")

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        pass

    def run_of(self, number: int, count: int, left_s: float) -> None:
        if count > 1:
            self.say(f"run {number} of {count}, about {words_for(left_s)} left")

    def standing(self, result: RunResult) -> None:
        pass


def users_of(phase_start: Record) -> str:
    """A phase and its load, in a few words."""
    users = phase_start["virtual_users"]
    return f"{phase_start['name']}, {users:,} virtual user{'' if users == 1 else 's'}"


def live_figures(record: Record, seconds: float) -> str:
    """Throughput, latency and errors of a record, in a few words."""
    rate = record["operations"] / seconds if seconds > 0 else 0.0
    errors = f" · {record['failed']:,} failed" if record["failed"] else ""
    return f"{rate:,.0f}/s · p99 {p99_ms(record):.1f} ms{errors}"


def p99_ms(record: Record) -> float:
    """p99 of a second or a phase; 0 where nothing was answered."""
    from bakeoff.engines import histograms

    latency = histograms.summarise(histograms.merge([record["response_histogram"] or record["service_histogram"]]))
    return latency.percentiles_ms[99.0]


@contextmanager
def shown_on(console: "Console") -> Iterator[Progress]:
    """The progress display that suits the console, while it lasts."""
    if not console.is_terminal:
        yield PlainProgress(console)
        return
    from bakeoff.running.live_view import LiveProgress

    with LiveProgress(console) as progress:
        yield progress

"""What a person sees while the lab works: lively on a terminal, plain lines elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from bakeoff.engines.stream import Record

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichBars
    from rich.progress import TaskID


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


class PlainProgress:
    """A line for each step; nothing moves."""

    def __init__(self, console: "Console") -> None:
        self._console = console

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def step(self, title: str, planned_s: float | None = None) -> None:
        self.say(title if planned_s is None else f"{title} (about {planned_s:.0f} s)")

    def detail(self, text: str) -> None:
        pass

    def record(self, record: Record) -> None:
        if record["type"] == "phase_start":
            self.say(f"  phase {record['phase'] + 1}: {users_of(record)}")
        elif record["type"] == "phase_end":
            self.say(f"    {live_figures(record, record['duration_ns'] / 1e9)}")


class LiveProgress:
    """One moving line: the step, a bar where its length is known, and live figures."""

    def __init__(self, console: "Console", bars: "RichBars") -> None:
        self._console = console
        self._bars = bars
        self._task: TaskID | None = None
        self._phase = ""

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def step(self, title: str, planned_s: float | None = None) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
        self._phase = ""
        self._task = self._bars.add_task(title, total=planned_s, detail="")

    def detail(self, text: str) -> None:
        if self._task is not None:
            self._bars.update(self._task, detail=text[:60])

    def record(self, record: Record) -> None:
        if self._task is None:
            return
        if record["type"] == "phase_start":
            self._phase = users_of(record)
        elif record["type"] == "second":
            self._bars.update(self._task, advance=1, detail=f"{self._phase} · {live_figures(record, 1.0)}")


def users_of(phase_start: Record) -> str:
    """A phase and its load, in a few words."""
    users = phase_start["virtual_users"]
    return f"{phase_start['name']}, {users:,} virtual user{'' if users == 1 else 's'}"


def live_figures(record: Record, seconds: float) -> str:
    """Throughput, latency and errors of a record, in a few words."""
    from bakeoff.engines import histograms

    latency = histograms.summarise(histograms.merge([record["response_histogram"] or record["service_histogram"]]))
    rate = record["operations"] / seconds if seconds > 0 else 0.0
    errors = f" · {record['failed']:,} failed" if record["failed"] else ""
    return f"{rate:,.0f}/s · p99 {latency.percentiles_ms[99.0]:.1f} ms{errors}"


@contextmanager
def shown_on(console: "Console") -> Iterator[Progress]:
    """The progress display that suits the console, while it lasts."""
    if not console.is_terminal:
        yield PlainProgress(console)
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichBars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[detail]}"),
    )
    with RichBars(*columns, console=console, transient=True) as bars:
        yield LiveProgress(console, bars)

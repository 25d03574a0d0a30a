"""The live view of a comparison on a terminal: the current run, and how the contenders stand so far."""

import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from bakeoff.engines.stream import EngineSecond, PhaseStart, Record
from bakeoff.results.run import RunResult
from bakeoff.running.progress import p99_ms, users_of
from bakeoff.text.durations import words_for
from bakeoff.text.sparkline import sparkline
from bakeoff.text.table import Table, text_of

_SECONDS_SHOWN = 48
_BAR_WIDTH = 32
_ROLES = (("target", "target"), ("database", "database"), ("engine", "generator"))


@dataclass
class ViewState:
    """The figures of the view. Times are of the clock that the display was given."""

    title: str = ""
    began_s: float = 0.0
    planned_s: float | None = None
    detail: str = ""
    phase: str = ""
    rates: deque[float] = field(default_factory=lambda: deque(maxlen=_SECONDS_SHOWN))
    p99s: deque[float] = field(default_factory=lambda: deque(maxlen=_SECONDS_SHOWN))
    failed: int = 0
    cpu_percent: Mapping[str, float] = field(default_factory=dict)
    run: str = ""
    standings: dict[str, list[RunResult]] = field(default_factory=dict)


class LiveProgress:
    """A view that renews itself while the `with` block lasts, and leaves nothing behind but what was said."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._state = ViewState()
        self._lock = threading.Lock()
        self._live = Live(console=console, get_renderable=self._rendered, refresh_per_second=4, transient=True)

    def __enter__(self) -> "LiveProgress":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def step(self, title: str, planned_s: float | None = None) -> None:
        with self._lock:
            kept = self._state
            self._state = ViewState(title, self._clock(), planned_s, run=kept.run, standings=kept.standings)

    def detail(self, text: str) -> None:
        self._state.detail = text

    def record(self, record: Record) -> None:
        with self._lock:
            if isinstance(record, PhaseStart):
                self._state.phase = users_of(record)
            elif isinstance(record, EngineSecond):
                self._state.rates.append(record.operations)
                self._state.p99s.append(p99_ms(record))
                self._state.failed += record.failed

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        self._state.cpu_percent = cpu_percent

    def run_of(self, number: int, count: int, left_s: float) -> None:
        self._state.run = f"run {number} of {count} · about {words_for(left_s)} left" if count > 1 else ""

    def standing(self, result: RunResult) -> None:
        with self._lock:
            self._state.standings.setdefault(result.contender, []).append(result)

    def _rendered(self) -> RenderableType:
        with self._lock:
            return rendered(self._state, self._clock(), self._console.width)


def rendered(state: ViewState, now_s: float, width: int = 80) -> RenderableType:
    """The view of a state."""
    if not state.title:
        return Text("")
    lines: list[RenderableType] = [_heading(state, now_s)]
    if state.planned_s is not None:
        bar = Grid.grid()
        bar.add_row(ProgressBar(state.planned_s, min(now_s - state.began_s, state.planned_s), width=_BAR_WIDTH))
        lines.append(bar)
    if state.rates:
        lines.append(_figures(state))
    elif state.detail:
        lines.append(Text(state.detail, style="dim", no_wrap=True, overflow="ellipsis"))
    if state.standings:
        lines.append(Text(f"\n{text_of(_standings(state.standings), width=width)}", no_wrap=True))
    return Group(*lines)


def _heading(state: ViewState, now_s: float) -> Text:
    passed_s = now_s - state.began_s
    time_words = words_for(passed_s)
    if state.planned_s is not None:
        time_words = f"{words_for(max(0.0, state.planned_s - passed_s))} of {words_for(state.planned_s)} left"
    parts = [state.title, state.phase, time_words, state.run]
    return Text(" · ".join(part for part in parts if part), style="bold", overflow="fold")


def _figures(state: ViewState) -> RenderableType:
    table = Grid.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(no_wrap=True, overflow="crop")
    rates, p99s = (sparkline(list(values), baseline=0) for values in (state.rates, state.p99s))
    table.add_row("throughput", f"{state.rates[-1]:,.0f}/s", Text(rates, style="cyan"))
    table.add_row("p99", f"{state.p99s[-1]:.1f} ms", Text(p99s, style="magenta"))
    table.add_row("failed", Text(f"{state.failed:,}", style="red bold" if state.failed else ""))
    used = [f"{name} {state.cpu_percent[role]:.0f}%" for role, name in _ROLES if role in state.cpu_percent]
    if used:
        table.add_row("CPU", "", " · ".join(used))
    return table


def _standings(standings: Mapping[str, Sequence[RunResult]]) -> Table:
    """Contenders by the median throughput of their rounds so far."""
    rows = []
    medians = {
        key: statistics.median(run.total.throughput_per_s for run in runs if run.total is not None)
        for key, runs in standings.items()
    }
    for key in sorted(medians, key=lambda key: -medians[key]):
        totals = [run.total for run in standings[key] if run.total is not None]
        p99 = statistics.median(total.latency.percentiles_ms["p99"] for total in totals)
        failed = sum(total.failed for total in totals)
        rows.append((key, f"{len(totals)}", f"{medians[key]:,.0f}", f"{p99:.1f}", f"{failed:,}"))
    return Table("so far", ("contender", "rounds", "ops/s", "p99 ms", "failed"), rows, least=("rounds", "p99 ms"))

"""The live view of a comparison on a terminal: the current run, and how the contenders stand so far."""

import time
from collections.abc import Callable, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from bakeoff.cli.tracked_progress import TrackedProgress
from bakeoff.reporting.numbers import number, rate, three_digits
from bakeoff.serving.live import LiveState, Standing
from bakeoff.text.durations import words_for
from bakeoff.text.sparkline import sparkline
from bakeoff.text.table import Table, text_of

_SECONDS_SHOWN = 48
_BAR_WIDTH = 32
_ROLES = (("target", "target"), ("database", "database"), ("engine", "generator"))


class LiveProgress(TrackedProgress):
    """A view that renews itself while the `with` block lasts, and leaves nothing behind but what was said."""

    def __init__(
        self,
        console: Console,
        follow: Callable[[LiveState], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(follow)
        self._console = console
        self._clock = clock
        self._began_s = clock()
        self._detail = ""
        self._live = Live(console=console, get_renderable=self.rendered, refresh_per_second=4, transient=True)

    def __enter__(self) -> "LiveProgress":
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def step(self, title: str, planned_s: float | None = None) -> None:
        self._began_s, self._detail = self._clock(), ""
        super().step(title, planned_s)

    def detail(self, text: str) -> None:
        self._detail = text

    def rendered(self) -> RenderableType:
        """The view of the state now."""
        state = self.state
        if not state.step:
            return Text("")
        passed_s = self._clock() - self._began_s
        lines: list[RenderableType] = [_heading(state, passed_s, self._console.width)]
        if state.planned_s is not None:
            bar = Grid.grid()
            bar.add_row(ProgressBar(state.planned_s, min(passed_s, state.planned_s), width=_BAR_WIDTH))
            lines.append(bar)
        if state.rates_per_s:
            lines.append(_figures(state))
        elif self._detail:
            lines.append(Text(self._detail, style="dim", no_wrap=True, overflow="ellipsis"))
        if state.standings:
            standings = text_of(_standings(state.standings), width=self._console.width)
            lines.append(Text(f"\n{standings}", no_wrap=True))
        return Group(*lines)


def _heading(state: LiveState, passed_s: float, width: int) -> Text:
    """One line: where it is too narrow for all, the time of this run is left out, then the phase."""
    time_words = words_for(passed_s)
    if state.planned_s is not None:
        time_words = f"{words_for(max(0.0, state.planned_s - passed_s))} of {words_for(state.planned_s)} left"
    run = state.run
    words = f"run {run.number} of {run.count} · about {words_for(run.left_s)} left" if run and run.count > 1 else ""
    choices = ((state.step, state.phase, time_words, words), (state.step, state.phase, words), (state.step, words))
    lines = [" · ".join(filter(None, parts)) for parts in choices]
    return Text(next((line for line in lines if len(line) <= width), lines[-1]), style="bold", overflow="fold")


def _figures(state: LiveState) -> RenderableType:
    table = Grid.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(no_wrap=True, overflow="crop")
    latencies = [value or 0.0 for value in state.p99s_ms]
    rates, p99s = (sparkline(values[-_SECONDS_SHOWN:], baseline=0) for values in (state.rates_per_s, latencies))
    table.add_row("throughput", f"{rate(state.rates_per_s[-1])}/s", Text(rates, style="cyan"))
    table.add_row("p99", number(state.p99s_ms[-1], 1, " ms"), Text(p99s, style="magenta"))
    table.add_row("failed", Text(f"{state.failed:,}", style="red bold" if state.failed else ""))
    used = [f"{name} {state.cpu_percent[role]:.0f}%" for role, name in _ROLES if role in state.cpu_percent]
    if used:
        table.add_row("CPU", "", " · ".join(used))
    return table


def _standings(standings: Sequence[Standing]) -> Table:
    rows = [
        (
            each.contender,
            f"{each.rounds}",
            each.load,
            rate(each.per_s),
            three_digits(each.p99_ms),
            f"{each.failed:,}",
        )
        for each in standings
    ]
    headings = ("contender", "rounds", "at", "ops/s", "p99 ms", "failed")
    return Table("so far", headings, rows, least=("rounds", "p99 ms"))

"""Progress in plain lines, for a person who reads a log."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from bakeoff.cli.tracked_progress import TrackedProgress
from bakeoff.engines.stream import EngineSecond, PhaseEnd, PhaseStart, Record
from bakeoff.running.progress import live_figures, p99_words, users_of
from bakeoff.serving.live import LiveState
from bakeoff.text import digits
from bakeoff.text.durations import words_for

if TYPE_CHECKING:
    from rich.console import Console


# A long phase without a line for minutes looks like one that hangs.
_LINE_EVERY_S = 30


class PlainProgress(TrackedProgress):
    """A line for each step, and one every half minute of a phase; nothing moves."""

    def __init__(self, console: "Console", follow: Callable[[LiveState], None] = lambda _: None) -> None:
        super().__init__(follow)
        self._console = console
        self._seconds: list[EngineSecond] = []
        self._failed = 0

    def say(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def step(self, title: str, planned_s: float | None = None) -> None:
        super().step(title, planned_s)
        self.say(title if planned_s is None else f"{title} (about {words_for(planned_s)})")

    def record(self, record: Record) -> None:
        super().record(record)
        if isinstance(record, PhaseStart):
            self._seconds, self._failed = [], 0
            self.say(f"  {users_of(record)}")
        elif isinstance(record, EngineSecond):
            self._second(record)
        elif isinstance(record, PhaseEnd):
            self.say(f"    {live_figures(record, record.duration_ns / 1e9)}")

    def _second(self, record: EngineSecond) -> None:
        """Prints a line after each half minute; failures are counted from the start of the phase."""
        self._seconds.append(record)
        self._failed += record.failed
        if len(self._seconds) == _LINE_EVERY_S:
            rate = sum(each.operations for each in self._seconds) / _LINE_EVERY_S
            self.say(
                f"    {words_for(record.second + 1)}: {digits.rate(rate)}/s · {p99_words(*self._seconds)} · "
                f"{self._failed:,} failed"
            )
            self._seconds = []

    def run_of(self, number: int, count: int, left_s: float) -> None:
        super().run_of(number, count, left_s)
        if count > 1:
            self.say(f"run {number} of {count}, about {words_for(left_s)} left")

"""The state of a running lab, kept as its progress is reported."""

import os
from collections.abc import Callable, Mapping

import msgspec

from bakeoff.engines.stream import EngineSecond, PhaseStart, Record
from bakeoff.results.run import RunResult
from bakeoff.running.progress import p99_ms, users_of
from bakeoff.serving.live import LiveState, RunOfMany

_SECONDS_KEPT = 120


class TrackedProgress:
    """Keeps the latest state, and gives it to `follow` after each change; displays add what they show.

    A display in another thread takes `state` once: it is replaced as a whole, or grows.
    """

    def __init__(self, follow: Callable[[LiveState], None] = lambda _: None) -> None:
        self.state = LiveState(os.getpid(), "")
        self._follow = follow

    def step(self, title: str, planned_s: float | None = None) -> None:
        fresh = {"phase": "", "failed": 0, "rates_per_s": [], "p99s_ms": []}
        self.state = msgspec.structs.replace(self.state, step=title, planned_s=planned_s, **fresh)
        self._follow(self.state)

    def detail(self, text: str) -> None:
        pass

    def record(self, record: Record) -> None:
        if isinstance(record, PhaseStart):
            self.state.phase = users_of(record)
        elif isinstance(record, EngineSecond):
            # The display shows both where there is a rate.
            self.state.p99s_ms = [*self.state.p99s_ms, round(p99_ms(record), 3)][-_SECONDS_KEPT:]
            self.state.rates_per_s = [*self.state.rates_per_s, record.operations][-_SECONDS_KEPT:]
            self.state.failed += record.failed
        else:
            return
        self._follow(self.state)

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        self.state.cpu_percent = {role: round(value, 1) for role, value in cpu_percent.items()}

    def run_of(self, number: int, count: int, left_s: float) -> None:
        self.state.run = RunOfMany(number, count, left_s)
        self._follow(self.state)

    def standing(self, result: RunResult) -> None:
        if result.total is not None:
            throughput = result.total.throughput_per_s
            rates = [*self.state.standings.get(result.contender, []), throughput]
            self.state.standings = {**self.state.standings, result.contender: rates}
        self._follow(self.state)

"""The state of a running lab, kept as its progress is reported."""

import os
from collections.abc import Callable, Mapping, Sequence
from statistics import median, median_low

import msgspec

from bakeoff.engines.stream import EngineSecond, PhaseEnd, PhaseStart, Record
from bakeoff.results.run import PhaseResult, RunResult
from bakeoff.running.progress import p99_ms, users_of
from bakeoff.serving.live import LiveState, RunOfMany, Standing

_SECONDS_KEPT = 120
_SECOND_NS = 1_000_000_000


class TrackedProgress:
    """Keeps the latest state, and gives it to `follow` after each change; displays add what they show.

    A display in another thread takes `state` once: it is replaced as a whole, or grows.
    """

    def __init__(self, follow: Callable[[LiveState], None] = lambda _: None) -> None:
        self.state = LiveState(os.getpid(), "")
        self._follow = follow
        self._results: dict[str, list[RunResult]] = {}
        # The newest second is shown when another follows: the end of a phase may have cut it short.
        self._newest: EngineSecond | None = None

    def step(self, title: str, planned_s: float | None = None) -> None:
        self._newest = None
        fresh = {"phase": "", "failed": 0, "rates_per_s": [], "p99s_ms": []}
        self.state = msgspec.structs.replace(self.state, step=title, planned_s=planned_s, **fresh)
        self._follow(self.state)

    def detail(self, text: str) -> None:
        pass

    def record(self, record: Record) -> None:
        if isinstance(record, PhaseStart):
            self._newest, self.state.phase = None, users_of(record)
        elif isinstance(record, EngineSecond):
            self._show(self._newest)
            self._newest = record
            self.state.failed += record.failed
        elif isinstance(record, PhaseEnd):
            if self._newest is not None and (self._newest.second + 1) * _SECOND_NS <= record.duration_ns:
                self._show(self._newest)
            self._newest = None
        else:
            return
        self._follow(self.state)

    def _show(self, second: EngineSecond | None) -> None:
        if second is None:
            return
        # The display shows both where there is a rate.
        self.state.p99s_ms = [*self.state.p99s_ms, p99_ms(second)][-_SECONDS_KEPT:]
        self.state.rates_per_s = [*self.state.rates_per_s, second.operations][-_SECONDS_KEPT:]

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        self.state.cpu_percent = {role: round(value, 1) for role, value in cpu_percent.items()}

    def run_of(self, number: int, count: int, left_s: float) -> None:
        self.state.run = RunOfMany(number, count, left_s)
        self._follow(self.state)

    def standing(self, result: RunResult) -> None:
        self._results = {**self._results, result.contender: [*self._results.get(result.contender, []), result]}
        self.state.standings = standings_of(self._results)
        self._follow(self.state)


def standings_of(results: Mapping[str, Sequence[RunResult]]) -> list[Standing]:
    """Each contender at the load where it did most so far, the best first.

    Where rates were offered only those count: a maximum and an offered rate have no order.
    """
    phases = {key: [phase for run in runs for phase in run.phases] for key, runs in results.items()}
    offered = any(phase.arrival_rate_per_s is not None for each in phases.values() for phase in each)
    standings = []
    for key, own in phases.items():
        by_load: dict[str, list[PhaseResult]] = {}
        for phase in own:
            if (phase.arrival_rate_per_s is not None) == offered:
                by_load.setdefault(phase.load, []).append(phase)
        if by_load:
            standings.append(max((_standing(key, *held) for held in by_load.items()), key=lambda each: each.per_s))
    return sorted(standings, key=lambda each: -each.per_s)


def _standing(contender: str, load: str, held: Sequence[PhaseResult]) -> Standing:
    p99s = [p99_ms for phase in held if (p99_ms := phase.measured.latency.shown["p99"]) is not None]
    return Standing(
        contender,
        load,
        len(held),
        median(phase.measured.throughput_per_s for phase in held),
        median_low(p99s) if p99s else None,
        sum(phase.measured.failed for phase in held),
    )

"""Publishes the progress of a running lab to the file that its pages follow."""

import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bakeoff.documents.whole_file import write_whole
from bakeoff.engines.stream import EngineSecond, PhaseStart, Record
from bakeoff.results.run import RunResult
from bakeoff.running.progress import Progress, p99_ms, users_of
from bakeoff.serving.live import LiveState, RunOfMany

_SECONDS_KEPT = 120


class PublishedProgress:
    """Passes everything on to another display, and keeps the file that pages follow up to date while it lasts.

    It begins with the first thing that is reported: a lab that is refused, because another is running, reports none and
    leaves the other's file alone.
    """

    def __init__(self, shown: Progress, path: Path, command: str) -> None:
        self._shown = shown
        self._path = path
        self._published = False
        self._rates: deque[float] = deque(maxlen=_SECONDS_KEPT)
        self._p99s: deque[float] = deque(maxlen=_SECONDS_KEPT)
        self._state = LiveState(os.getpid(), command)

    def __enter__(self) -> "PublishedProgress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._published:
            self._path.unlink(missing_ok=True)

    def say(self, line: str) -> None:
        self._shown.say(line)

    def step(self, title: str, planned_s: float | None = None) -> None:
        self._rates.clear()
        self._p99s.clear()
        self._state = msgspec.structs.replace(self._state, step=title, planned_s=planned_s, phase="", failed=0)
        self._publish()
        self._shown.step(title, planned_s)

    def detail(self, text: str) -> None:
        self._shown.detail(text)

    def record(self, record: Record) -> None:
        if isinstance(record, PhaseStart):
            self._state.phase = users_of(record)
            self._publish()
        elif isinstance(record, EngineSecond):
            self._rates.append(record.operations)
            self._p99s.append(p99_ms(record))
            self._state.failed += record.failed
            self._publish()
        self._shown.record(record)

    def usage(self, cpu_percent: Mapping[str, float]) -> None:
        self._state.cpu_percent = {role: round(value, 1) for role, value in cpu_percent.items()}
        self._shown.usage(cpu_percent)

    def run_of(self, number: int, count: int, left_s: float) -> None:
        self._state.run = RunOfMany(number, count, left_s)
        self._publish()
        self._shown.run_of(number, count, left_s)

    def standing(self, result: RunResult) -> None:
        if result.total is not None:
            self._state.standings.setdefault(result.contender, []).append(result.total.throughput_per_s)
        self._publish()
        self._shown.standing(result)

    def _publish(self) -> None:
        self._published = True
        self._state.rates_per_s = list(self._rates)
        self._state.p99s_ms = [round(value, 3) for value in self._p99s]
        try:
            write_whole(self._path, msgspec.json.encode(self._state))
        except OSError:
            # No figure depends on this file; a full disk is reported by what must be written.
            return

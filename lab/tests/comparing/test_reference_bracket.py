"""Lines before and after a comparison: each with its best number of connections, every draw kept."""

from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from bakeoff.calibration.machine_calibration import DrawnLine
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing import reference_bracket
from bakeoff.comparing.reference_bracket import draw_all, lines_of
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration
from bakeoff.workload.loader import load_workload

QUIET = PlainProgress(Console(quiet=True))
SERVER = Server("postgresql://127.0.0.1:1/x", None, embedded=True)


def test_every_draw_is_kept_with_the_best_number_of_connections(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[str, int]] = []

    def draw(_tools: object, line: DrawnLine, count: int, _seconds: float, _progress: object) -> Calibration:
        drawn.append((str(line), count))
        return Calibration("here", "database", str(line), "18", "events", "sql", "default", count, 7.0)

    monkeypatch.setattr(reference_bracket, "best_connections", lambda _tools, line, *_: len(line))
    monkeypatch.setattr(reference_bracket, "bench_of", lambda *_: None)
    monkeypatch.setattr(reference_bracket, "draw", draw)
    kept: list[Calibration] = []
    lines = lines_of(Testbed(project, SERVER, QUIET), [load_workload(project, "events")])
    assert draw_all(lines, QUIET, kept.append) == kept
    draw_all(lines, QUIET, kept.append)
    expected = [(str(line), len(line)) for line in DrawnLine for _ in range(3)]
    assert drawn == [*expected, *expected]
    assert len(kept) == 12


def test_lines_that_cannot_be_drawn_stop_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise BakeoffError("pgbench is not there.")

    monkeypatch.setattr(reference_bracket, "bench_of", fail)
    assert lines_of(Testbed(project, SERVER, QUIET), [load_workload(project, "events")]) == []


def test_a_draw_that_fails_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Calibration:
        raise BakeoffError("pgbench ended.")

    monkeypatch.setattr(reference_bracket, "draw", fail)
    tools: Any = SimpleNamespace(workload=SimpleNamespace(name="events"))
    kept: list[Calibration] = []
    assert draw_all([(tools, line, 1) for line in DrawnLine], QUIET, kept.append) == kept == []

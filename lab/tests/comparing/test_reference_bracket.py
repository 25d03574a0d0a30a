"""Lines before and after a comparison: each with its best number of connections, every draw kept."""

from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from bakeoff.calibration.machine_calibration import LINES, best_of
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing import reference_bracket
from bakeoff.comparing.reference_bracket import commit_sizes, draw_all, lines_of
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity
from bakeoff.results.run import RunResult
from bakeoff.running.testbed import Testbed
from bakeoff.storage.calibrations import Calibration
from bakeoff.workload.loader import load_workload
from made_up import measured, phase, run_result

QUIET = PlainProgress(Console(quiet=True))
SERVER = Server("postgresql://127.0.0.1:1/x", None, embedded=True)


def calibration(connections: int, rate_per_s: float) -> Calibration:
    return Calibration("here", "database", "a line", "18", "events", "sql", "default", connections, rate_per_s)


@pytest.mark.parametrize(
    ("rates", "most", "tried", "best"),
    [
        # A single trial that is lower by chance ends nothing.
        ([10, 20, 19, 40, 39, 38, 99], 190, 6, 8),
        ([10, 9, 8, 99], 190, 3, 1),
        ([1, 2, 3, 4, 5, 6, 7, 8], 190, 8, 128),
        ([1, 2, 3], 2, 2, 2),
    ],
)
def test_connections_are_doubled_until_the_rate_falls(rates: list[float], most: int, tried: int, best: int) -> None:
    drawn: list[int] = []

    def draw(connections: int) -> Calibration:
        drawn.append(connections)
        return calibration(connections, rates[len(drawn) - 1])

    assert best_of(draw, most).connections == best
    assert drawn == [2**power for power in range(tried)]


def test_the_lines_commit_as_the_contenders_did_in_their_fastest_phases() -> None:
    def run(contender: str, slow: int | None, fast: int | None) -> RunResult:
        phases = [phase(each, 10, measured(each * 100.0)) for each in (1, 2)]
        seen = {"1": PhaseActivity(commits=slow), "2": PhaseActivity(commits=fast)}
        activity = DatabaseActivity(phases=seen)
        return run_result(workload="events", contender=contender, phases=phases, database_activity=activity)

    runs = [run("a", 1000, 45), run("a", 1000, 46), run("b", 1, 47), run("plain", 1, 1900), run("unknown", None, None)]
    assert commit_sizes(runs, "events") == [44]
    assert commit_sizes(runs, "others") == []


def test_every_draw_is_kept_with_the_best_number_of_connections(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[int, int]] = []

    def draw(_tools: object, rows: int, count: int, _seconds: float, _progress: object) -> Calibration:
        drawn.append((rows, count))
        return calibration(count, 7.0)

    monkeypatch.setattr(reference_bracket, "best_connections", lambda _tools, rows, *_: rows + 1)
    monkeypatch.setattr(reference_bracket, "bench_of", lambda *_: None)
    monkeypatch.setattr(reference_bracket, "draw", draw)
    kept: list[Calibration] = []
    lines = lines_of(Testbed(project, SERVER, QUIET), [(load_workload(project, "events"), [1, 44])])
    assert draw_all(lines, QUIET, kept.append) == kept
    draw_all(lines, QUIET, kept.append)
    expected = [(1, 2)] * 3 + [(44, 45)] * 3
    assert drawn == [*expected, *expected]
    assert len(kept) == 12


def test_lines_that_cannot_be_drawn_stop_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise BakeoffError("pgbench is not there.")

    monkeypatch.setattr(reference_bracket, "bench_of", fail)
    assert lines_of(Testbed(project, SERVER, QUIET), [(load_workload(project, "events"), LINES)]) == []


def test_a_draw_that_fails_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Calibration:
        raise BakeoffError("pgbench ended.")

    monkeypatch.setattr(reference_bracket, "draw", fail)
    tools: Any = SimpleNamespace(workload=SimpleNamespace(name="events"))
    kept: list[Calibration] = []
    assert draw_all([(tools, line, 1) for line in LINES], QUIET, kept.append) == kept == []

"""Several engines divide one load: nothing may be lost between them, and nothing be sent twice."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.engines.manifest import find_engine
from bakeoff.engines.stream import PhaseEnd, PhaseStart, Record, read_records
from bakeoff.options.variant import Variant
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results import histograms
from bakeoff.results.run import RunResult, Status
from bakeoff.running import stored_state, summary
from bakeoff.running.audit_step import audit_run
from bakeoff.running.contender import Contender
from bakeoff.running.measured_run import measure
from bakeoff.running.modes import Phase
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import load_workload
from build_once import build_once
from made_up_records import merged, record_of

pytestmark = pytest.mark.end_to_end

TARGET = "producer-api-rust-rest"


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    return tmp_path


class Watching(PlainProgress):
    """Passes on each merged record."""

    def __init__(self, seen: Callable[[Record], None]) -> None:
        super().__init__(Console(quiet=True))
        self._seen = seen

    def record(self, record: Record) -> None:
        self._seen(record)


def measured(
    project: Project,
    server: Server,
    agents: int,
    *phases: Phase,
    variant: Variant | None = None,
    seen: Callable[[Record], None] = lambda _: None,
    engine_name: str = "native",
) -> RunResult:
    (target,) = choose_targets(find_targets(project), [TARGET])
    engine = find_engine(engine_name)
    for build in (target.build, engine.build):
        build_once(build)
    own = replace(variant or Variant(), agents=agents)
    contender = Contender(target, load_workload(project, target.workload), engine, own)
    request = RunRequest(contender, "quick", phases)
    return measure(Testbed(project, server, Watching(seen)), request)


def users_in(server: Server) -> set[int]:
    """Virtual users who have stored something: a key ends in its user and the sequence that made it."""
    with server.connect() as connection:
        rows = connection.execute("SELECT DISTINCT split_part(reverse(id), '-', 2) FROM car_entities").fetchall()
    return {int(user[::-1]) for (user,) in rows}


def phase_ends(stream: Path) -> list[PhaseEnd]:
    records = [record_of(json.loads(line)) for line in stream.read_text().splitlines()]
    return [record for record in records if isinstance(record, PhaseEnd)]


def part_of(count: int, part: int, parts: int) -> int:
    """A share of a count; the shares of all parts add up to it."""
    return count // parts + (part < count % parts)


def histogram_part(encoded: str | None, part: int, parts: int) -> str | None:
    """A share of each recorded value of a histogram."""
    if encoded is None:
        return None
    whole, own = histograms.merge([encoded]), histograms.merge([])
    for item in whole.get_recorded_iterator():
        share = part_of(item.count_at_value_iterated_to, part, parts)
        if share:
            own.record_value(item.value_iterated_to, share)
    return histograms.encode(own) if own.get_total_count() else None


def split(document: Any, part: int, parts: int, name: str = "") -> Any:
    """The part of a record that one of several agents would have reported."""
    if isinstance(document, dict):
        return {member: split(value, part, parts, member) for member, value in document.items()}
    if name.endswith("_histogram"):
        return histogram_part(document, part, parts)
    is_count = isinstance(document, int) and not isinstance(document, bool)
    is_same = name.endswith("_ns") or name in ("phase", "second", "version")
    return part_of(document, part, parts) if is_count and not is_same else document


def test_a_recorded_stream_in_parts_has_the_same_figures(project: Project, server: Server, results: Path) -> None:
    """An engine's report, divided over agents and put together again: to the digit."""
    result = measured(project, server, 1, Phase("Few", 4, 0.5), Phase("Arriving", 8, 1.2, rate_per_s=300))
    assert result.status is Status.COMPLETED, result.failure
    (stream,) = results.glob("*/*.stream.jsonl")
    lines = [json.loads(line) for line in stream.read_text().splitlines()]
    lines = [line for line in lines if line["type"] not in ("ready", "clock")]
    whole = [record_of(line) for line in lines]
    parts = 3
    together = merged([[record_of(split(line, part, parts)) for line in lines] for part in range(parts)])
    assert summary.phase_results(together, []) == summary.phase_results(whole, [])
    assert summary.timeline_of(together) == summary.timeline_of(whole)
    assert any(phase.measured.latency.count > 0 for phase in summary.phase_results(whole, []))


def test_users_are_divided_and_every_write_is_audited(project: Project, server: Server, results: Path) -> None:
    result = measured(project, server, 3, Phase("Few", 4, 0.5), Phase("More", 8, 0.5))
    assert result.status is Status.COMPLETED, result.failure
    assert result.audit is not None and result.total is not None
    assert result.audit.clean and result.audit.ledger_complete
    assert result.audit.acknowledged_operations == result.total.operations > 0
    assert result.audit.unexplained_rows.count == 0
    assert result.total.errors == {}
    assert [phase.virtual_users for phase in result.phases] == [4, 8]
    assert users_in(server) == set(range(8))
    assert result.settings["agents"] == "3"
    assert {"target", "database", "engine"} == {sample.role for sample in result.samples}
    (whole,) = results.glob("*/*.stream.jsonl")
    parts = [phase_ends(part) for part in sorted(results.glob("*/*.stream.agent-*.jsonl"))]
    assert len(parts) == 3
    # What is kept is a stream like any other.
    assert len(list(read_records(whole.read_bytes().splitlines(), "merged"))) > 6
    for phase, end in enumerate(phase_ends(whole)):
        assert end.operations == sum(part[phase].operations for part in parts) > 0


def test_k6_is_divided_like_any_engine_and_is_not_audited(project: Project, server: Server, results: Path) -> None:
    """By its own execution segments; all that it acknowledged is in the table, by other users for each agent."""
    if shutil.which("go") is None:
        pytest.skip("go not found, so that k6 cannot be built: install Go")
    result = measured(project, server, 2, Phase("Few", 4, 1.0), Phase("More", 7, 1.0), engine_name="k6")
    assert result.status is Status.COMPLETED, result.failure
    assert result.total is not None and result.total.errors == {}
    assert [phase.virtual_users for phase in result.phases] == [4, 7]
    assert users_in(server) == set(range(7))
    assert result.settings["agents"] == "2"
    (whole,) = results.glob("*/*.stream.jsonl")
    parts = [phase_ends(part) for part in sorted(results.glob("*/*.stream.agent-*.jsonl"))]
    assert len(parts) == 2
    for phase, end in enumerate(phase_ends(whole)):
        assert end.operations == sum(part[phase].operations for part in parts) > 0
    acknowledged = result.environment["agents_acknowledged"]
    assert [each.split(":")[0] for each in acknowledged.split(", ")] == ["agent 1 of 2", "agent 2 of 2"]
    assert result.audit is None
    (finding,) = [each for each in result.findings if each.kind == "not-audited"]
    assert "The engine k6 keeps no ledger" in finding.message


def test_keys_that_all_users_share_are_audited_across_agents(project: Project, server: Server) -> None:
    variant = Variant(update_share=0.6, key_pick="zipf:0.99", shared_keys=8)
    result = measured(project, server, 2, Phase("Shared", 8, 0.5), variant=variant)
    assert result.status is Status.COMPLETED, result.failure
    assert result.audit is not None and result.audit.clean, result.audit
    assert result.audit.unexplained_rows.count == 0


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_an_arrival_rate_is_divided(project: Project, server: Server, arrivals: str) -> None:
    result = measured(project, server, 2, Phase("Arriving", 8, 1.0, rate_per_s=200, arrivals=arrivals))
    assert result.status is Status.COMPLETED, result.failure
    assert result.total is not None and result.audit is not None and result.audit.clean
    due = result.total.requests + result.total.unsent
    # Evenly spaced ones are divided without a rest; random ones are 200 with a deviation of 14.
    if arrivals == "constant":
        assert due == 200
    else:
        assert 120 < due < 280


def test_iterations_are_divided(project: Project, server: Server) -> None:
    result = measured(project, server, 3, Phase("Counted", 5, iterations=100))
    assert result.total is not None and (result.total.ok, result.total.errors) == (100, {})


def test_a_write_that_any_agent_s_ledger_holds_is_missed(
    project: Project, server: Server, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*given: Any) -> Any:
        for user in (0, 1):
            server.execute_script(
                "DELETE FROM car_entities WHERE ctid IN (SELECT ctid FROM car_entities"
                f" WHERE split_part(reverse(id), '-', 2) = '{user}' LIMIT 1)"
            )
        return audit_run(*given)

    monkeypatch.setattr(stored_state, "audit_run", damaged)
    result = measured(project, server, 2, Phase("Damaged", 4, 0.5))
    assert result.status is Status.VOID
    assert result.audit is not None and result.audit.lost.count == 2


def test_an_agent_that_dies_fails_the_run(project: Project, server: Server) -> None:
    def kill_one(record: Record) -> None:
        if isinstance(record, PhaseStart):
            (second,) = [child for child in psutil.Process().children() if _is_second_agent(child)]
            second.kill()

    result = measured(project, server, 2, Phase("Long", 4, 60.0), seen=kill_one)
    assert result.status is Status.FAILED
    assert result.failure is not None and "Agent 2 of 2: The engine native ended with status -9" in result.failure


def _is_second_agent(child: psutil.Process) -> bool:
    try:
        return "2/2" in child.cmdline()
    except psutil.NoSuchProcess:
        # Another child, which has just ended.
        return False

"""Several engines at once, each a real process that writes what a script says."""

import json
import os
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scripted_plan import Scripted

from bakeoff.builds.build import Build
from bakeoff.engines.agent import Agent
from bakeoff.engines.agents import Agents, alone
from bakeoff.engines.here import Here
from bakeoff.engines.manifest import Command
from bakeoff.engines.stream import End, PhaseStart, Record, Start
from bakeoff.engines.transport import Assignment
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from made_up_manifests import engine
from made_up_records import record_of

START = {
    "type": "start",
    "version": 1,
    "engine": {"name": "scripted", "version": "1"},
    "workload": "w",
    "target": "t",
    "protocol": "http",
    "connections": 1,
    "time_unix_ns": 1,
}
READY = {"type": "ready", "phase": 0, "time_unix_ns": 1}
MS = 1_000_000
END = {"type": "end", "reason": "completed", "message": "", "time_unix_ns": 2}

# Follows the part of its plan that has its number: writes the lines and, in the place of `ready`, does what an agent
# does. Then it ends with the status, or waits for `stop` and ends well.
SCRIPT = """
import json, sys, time
part = json.loads(sys.stdin.readline())["parts"][int(sys.argv[sys.argv.index("--agent") + 1].split("/")[0]) - 1]
def write(record):
    print(json.dumps(record), flush=True)
def awaited(word):
    for line in sys.stdin:
        if line.startswith("clock "):
            ahead_ns = part.get("ahead_ns", 0)
            write({"type": "clock", "id": int(line.split()[1]), "time_unix_ns": time.time_ns() + ahead_ns})
        if line.split()[0] in (word, "stop"):
            return line.split()
    return ["stop"]
for line in part["lines"]:
    write(line)
    if line["type"] == "ready":
        word, *at = awaited("go")
        if word == "stop":
            part["end"]["reason"] = "interrupted"
            break
        begun_ns = int(at[0]) if at else time.time_ns() + part.get("ahead_ns", 0)
        begun_ns += part.get("late_ns", 0)
        for phase in range(part.get("starts", 1)):
            write({"type": "phase_start", "phase": phase, "name": "p", "virtual_users": 1, "time_unix_ns": begun_ns})
if part["waits"] and part["end"]["reason"] == "completed":
    awaited("stop")
    part["end"]["reason"] = "interrupted"
write(part["end"])
sys.exit(part["status"])
"""


def agents(project: Project, folder: Path, *parts: dict[str, Any]) -> Agents:
    build = Build("scripted", folder, ("true",), (), folder, folder, folder, folder)
    run = Command([sys.executable, "-c", SCRIPT])
    scripted = replace(engine("scripted", "agents", run=run), directory=folder, build=build)
    plan: Any = Scripted([{"lines": [START], "end": END, "waits": False, "status": 0, **part} for part in parts])
    stream, log = folder / "results" / "x.stream.jsonl", folder / "x.engine.log"
    return Agents(scripted, plan, folder / "plan.json", stream, log, [Here()] * len(parts))


def test_streams_are_merged_and_kept(project: Project, tmp_path: Path) -> None:
    with agents(project, tmp_path, {}, {"lines": [{**START, "connections": 4}]}) as both:
        assert len(both.pids) == 2
        seen: list[Record] = []
        records = both.records(seen.append)
    assert seen == records
    assert isinstance(records[0], Start) and isinstance(records[1], End) and len(records) == 2
    assert records[0].connections == 5
    assert [
        record_of(json.loads(line)) for line in (tmp_path / "results" / "x.stream.jsonl").read_text().splitlines()
    ] == records
    raw = [(tmp_path / "results" / f"x.stream.agent-{number}.jsonl").read_text().splitlines() for number in (1, 2)]
    assert [json.loads(lines[0])["connections"] for lines in raw] == [1, 4]


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"status": 3}, "Agent 2 of 2: The engine scripted ended with status 3"),
        ({"lines": [START, {"type": "surprise"}]}, "Agent 2 of 2: .*'surprise' is not known"),
        (
            {"end": {**END, "reason": "failed", "message": "no way"}},
            "Agent 2 of 2: .*could not follow the plan: no way",
        ),
    ],
)
def test_one_that_goes_wrong_ends_all(project: Project, tmp_path: Path, plan: dict[str, Any], words: str) -> None:
    """The first would wait for ever; it is stopped as soon as the second has failed."""
    with agents(project, tmp_path, {"waits": True}, plan) as both:
        first = both.pids[0]
        with pytest.raises(BakeoffError, match=words):
            both.records(lambda _: None)
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_an_agent_that_is_killed_is_a_failure(project: Project, tmp_path: Path) -> None:
    with agents(
        project, tmp_path, {"lines": [START, READY], "waits": True}, {"lines": [START, READY], "waits": True}
    ) as both:
        killed = both.pids[1]

        def kill(_: Record) -> None:
            os.kill(killed, signal.SIGKILL)

        with pytest.raises(BakeoffError, match=r"Agent 2 of 2: .*status -9"):
            both.records(kill)


def test_a_stream_that_cannot_be_kept_ends_all(project: Project, tmp_path: Path) -> None:
    (tmp_path / "results" / "x.stream.agent-2.jsonl").mkdir(parents=True)
    with (
        agents(
            project, tmp_path, {"lines": [START, READY], "waits": True}, {"lines": [START, READY], "waits": True}
        ) as both,
        pytest.raises(IsADirectoryError),
    ):
        both.records(lambda _: None)


def test_an_interruption_reaches_all(project: Project, tmp_path: Path) -> None:
    with agents(
        project, tmp_path, {"lines": [START, READY], "waits": True}, {"lines": [START, READY], "waits": True}
    ) as both:
        records = both.records(lambda record: both.interrupt() if isinstance(record, Start) else None)
    assert isinstance(records[-1], End) and records[-1].reason == "interrupted"


def test_agents_whose_output_is_not_read_end_too(project: Project, tmp_path: Path) -> None:
    with agents(project, tmp_path, {"waits": True}, {"waits": True}) as both:
        pids = both.pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


class Unreachable:
    """A place whose engine is started and cannot be sent its plan."""

    name = "there"
    ledger = None
    ended = 0

    def start(self, _: Assignment) -> Any:
        return self

    def send(self, _: bytes) -> None:
        raise KeyboardInterrupt

    def end(self) -> None:
        self.ended += 1


def test_an_engine_that_is_not_sent_its_plan_is_ended(tmp_path: Path) -> None:
    place, plan = Unreachable(), Scripted([])
    assignment = Assignment(engine("scripted", "agents"), plan, tmp_path / "plan", tmp_path / "log")  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt), Agent(place, assignment, tmp_path / "stream"):
        pass
    assert place.ended == 1


def test_all_start_at_one_instant_whatever_their_clocks_show(project: Project, tmp_path: Path) -> None:
    ahead_ns = 20 * 60 * 1000 * MS
    first, second = {"lines": [START, READY]}, {"lines": [START, READY], "ahead_ns": ahead_ns}
    began_ns = time.time_ns()
    with agents(project, tmp_path, first, second) as both:
        records = both.records(lambda _: None)
    (start,) = [record for record in records if isinstance(record, PhaseStart)]
    assert began_ns < start.time_unix_ns < time.time_ns() + 1000 * MS
    assert start.virtual_users == 2
    offset = both.offsets[1]
    assert abs(offset.ahead_ns - ahead_ns) <= offset.uncertainty_ns
    # Each measured the same instant with its own uncertainty.
    assert both.begun_apart_ns <= sum(offset.uncertainty_ns for offset in both.offsets)


def test_one_that_starts_half_a_second_late_is_out_of_step(project: Project, tmp_path: Path) -> None:
    first, second = {"lines": [START, READY]}, {"lines": [START, READY], "late_ns": 60_000 * MS}
    words = r"Agent 2 of 2 fell out of step: it started phase 1 [\d,]+ ms after agent 1 of 2"
    with agents(project, tmp_path, first, second) as both, pytest.raises(BakeoffError, match=words):
        both.records(lambda _: None)


def test_one_of_another_version_is_refused_before_anything_is_sent(project: Project, tmp_path: Path) -> None:
    other = {**START, "engine": {"name": "scripted", "version": "2"}}
    words = "The agents differ: engine is scripted 1 of agent 1 of 2, scripted 2 of agent 2 of 2"
    with agents(project, tmp_path, {"lines": [START, READY]}, {"lines": [other, READY]}) as both:
        seen: list[Record] = []
        with pytest.raises(BakeoffError, match=words):
            both.records(seen.append)
    assert not [record for record in seen if isinstance(record, PhaseStart)]


def test_one_instruction_starts_several_phases_where_an_engine_says_so(project: Project, tmp_path: Path) -> None:
    part = {"lines": [START, {**READY, "last_phase": 1}], "starts": 2}
    with agents(project, tmp_path, part, part) as both:
        records = both.records(lambda _: None)
    assert [record.phase for record in records if isinstance(record, PhaseStart)] == [0, 1]


def test_a_phase_beyond_those_that_were_instructed_is_refused(project: Project, tmp_path: Path) -> None:
    part = {"lines": [START, {**READY, "last_phase": 1}], "starts": 3}
    with (
        agents(project, tmp_path, part) as one,
        pytest.raises(BakeoffError, match="started phase 3 without an instruction"),
    ):
        one.records(lambda _: None)


def test_one_that_starts_by_itself_is_refused(project: Project, tmp_path: Path) -> None:
    begun = {"type": "phase_start", "phase": 0, "name": "p", "virtual_users": 1, "time_unix_ns": 1}
    with (
        agents(project, tmp_path, {"lines": [START, begun]}) as one,
        pytest.raises(BakeoffError, match="started phase 1 without an instruction: is it an engine of another version"),
    ):
        one.records(lambda _: None)


def test_an_interruption_reaches_agents_that_wait_for_others(project: Project, tmp_path: Path) -> None:
    with agents(project, tmp_path, {"lines": [START, READY]}, {"waits": True}) as both:
        timer = threading.Timer(0.1, both.interrupt)
        timer.start()
        records = both.records(lambda _: None)
    assert isinstance(records[-1], End) and records[-1].reason == "interrupted"


# An engine that reads its plan from a file, takes no instructions, and ends at SIGINT.
OTHER = """
import json, signal, sys
end = json.load(open(sys.argv[sys.argv.index("--plan") + 1]))["parts"][0]["end"]
def stopped(*_):
    print(json.dumps({**end, "reason": "interrupted"}), flush=True)
    sys.exit(0)
signal.signal(signal.SIGINT, stopped)
print(json.dumps(%s), flush=True)
begun = {"type": "phase_start", "phase": 0, "name": "p", "virtual_users": 1, "time_unix_ns": 1}
print(json.dumps(begun), flush=True)
signal.pause()
"""


def test_an_engine_that_takes_no_instructions_starts_by_itself(tmp_path: Path) -> None:
    build = Build("other", tmp_path, ("true",), (), tmp_path, tmp_path, tmp_path, tmp_path)
    run = Command([sys.executable, "-c", OTHER % START])
    other = replace(engine("other", run=run), directory=tmp_path, build=build)
    plan: Any = Scripted([{"end": END}])
    stream = tmp_path / "x.stream.jsonl"
    with alone(other, plan, tmp_path / "plan.json", stream, tmp_path / "x.log") as one:
        records = one.records(lambda record: one.interrupt() if isinstance(record, PhaseStart) else None)
    assert [type(record) for record in records] == [Start, PhaseStart, End]
    assert [record_of(json.loads(line)) for line in stream.read_text().splitlines()] == records

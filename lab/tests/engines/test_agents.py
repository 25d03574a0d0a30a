"""Several engines at once, each a real process that writes what a script says."""

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.builds import Build
from bakeoff.engines.agents import Agents, Clocks
from bakeoff.engines.manifest import Command
from bakeoff.engines.process import EngineProcess
from bakeoff.engines.stream import End, Record, Start
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from made_up_manifests import engine
from made_up_records import phase_end, phase_start, record_of

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
END = {"type": "end", "reason": "completed", "message": "", "time_unix_ns": 2}

# Writes its plan's lines; then ends with the plan's status, or waits for SIGINT and ends well.
SCRIPT = """
import json, signal, sys
plan = json.load(open(sys.argv[sys.argv.index("--plan") + 1]))
signal.signal(signal.SIGINT, lambda *_: (print(json.dumps({**plan["end"], "reason": "interrupted"})), sys.exit(0)))
for line in plan["lines"]:
    print(json.dumps(line), flush=True)
if plan["waits"]:
    signal.pause()
print(json.dumps(plan["end"]), flush=True)
sys.exit(plan["status"])
"""


def scripted_plan(document: dict[str, Any]) -> Any:
    """What the script follows, in the place of a plan."""

    class Scripted:
        def encoded(self) -> bytes:
            return json.dumps(document).encode()

    return Scripted()


def agents(project: Project, folder: Path, *plans: dict[str, Any]) -> Agents:
    build = Build("scripted", folder, ("true",), (), folder, folder, folder, folder)
    scripted = replace(engine("scripted", run=Command([sys.executable, "-c", SCRIPT])), directory=folder, build=build)
    schema = project.contract / "schemas" / "stream.schema.json"
    processes = [
        EngineProcess(
            scripted,
            scripted_plan({"lines": [START], "end": END, "waits": False, "status": 0, **plan}),
            folder / f"plan-{number}.json",
            folder / "results" / f"stream-{number}.jsonl",
            folder / f"log-{number}",
            schema,
            ("--agent", f"{number}/{len(plans)}"),
        )
        for number, plan in enumerate(plans, 1)
    ]
    return Agents(processes, folder / "results" / "stream.jsonl")


def test_streams_are_merged_and_kept(project: Project, tmp_path: Path) -> None:
    with agents(project, tmp_path, {}, {"lines": [{**START, "connections": 4}]}) as both:
        assert len(both.pids) == 2
        seen: list[Record] = []
        records = both.records(seen.append)
    assert seen == records
    assert isinstance(records[0], Start) and isinstance(records[1], End) and len(records) == 2
    assert records[0].connections == 5
    assert [
        record_of(json.loads(line)) for line in (tmp_path / "results" / "stream.jsonl").read_text().splitlines()
    ] == records
    raw = [(tmp_path / "results" / f"stream-{number}.jsonl").read_text().splitlines() for number in (1, 2)]
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
        ({"lines": [{**START, "target": "another"}]}, "The agents differ: target is t, another"),
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
    with agents(project, tmp_path, {"waits": True}, {"waits": True}) as both:
        killed = both.pids[1]

        def kill(_: Record) -> None:
            os.kill(killed, signal.SIGKILL)

        with pytest.raises(BakeoffError, match=r"Agent 2 of 2: .*status -9"):
            both.records(kill)


def test_a_stream_that_cannot_be_kept_ends_all(project: Project, tmp_path: Path) -> None:
    (tmp_path / "results" / "stream-2.jsonl").mkdir(parents=True)
    with agents(project, tmp_path, {"waits": True}, {"waits": True}) as both, pytest.raises(IsADirectoryError):
        both.records(lambda _: None)


def test_an_interruption_reaches_all(project: Project, tmp_path: Path) -> None:
    with agents(project, tmp_path, {"waits": True}, {"waits": True}) as both:
        records = both.records(lambda record: both.interrupt() if isinstance(record, Start) else None)
    assert isinstance(records[-1], End) and records[-1].reason == "interrupted"


def test_agents_whose_output_is_not_read_end_too(project: Project, tmp_path: Path) -> None:
    with agents(project, tmp_path, {"waits": True}, {"waits": True}) as both:
        pids = both.pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


MS = 1_000_000


@pytest.mark.parametrize(
    ("received_ms", "apart_ms"),
    [
        # Instants at which the lab read what each agent wrote at 0: the quickest record of each counts.
        ([[1, 90], [3, 2]], 1),
        ([[5], [75, 80]], 70),
        ([[-40], [20]], 60),
        ([[5], []], 0),
    ],
)
def test_clocks_that_disagree(received_ms: list[list[int]], apart_ms: int) -> None:
    clocks = Clocks(2)
    for agent, instants in enumerate(received_ms):
        for instant in instants:
            clocks.take(agent, phase_end(time_unix_ns=1000 * MS), (1000 + instant) * MS)
            # The begin of a phase lies ahead when it is told of.
            clocks.take(agent, phase_start(time_unix_ns=9000 * MS), (1000 + instant) * MS)
    assert clocks.apart_ns == apart_ms * MS

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.engines.manifest import Command
from bakeoff.engines.stream import Note
from bakeoff.options.variant import Variant
from bakeoff.project import Project
from bakeoff.running.contender import Contender
from bakeoff.running.modes import SMOKE, Phase
from bakeoff.running.run_files import RunFiles
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from made_up_manifests import engine, target, workload

# An engine that prints how it was started instead of sending load.
SCRIPT = """
import json, sys
plan = json.loads(sys.stdin.readline())
start = {"type": "start", "version": 1, "engine": {"name": "e", "version": "1"}, "workload": "w", "target": "t",
         "protocol": "http", "connections": 1, "time_unix_ns": 1}
said = json.dumps({"ledger": plan["ledger"], "arguments": sys.argv[1:]})
for record in (start, {"type": "note", "level": "info", "message": said},
               {"type": "end", "reason": "completed", "message": "", "time_unix_ns": 2}):
    print(json.dumps(record))
"""


def request(agents: int, *phases: Phase) -> RunRequest:
    native = engine("native", "agents", run=Command([sys.executable, "-c", SCRIPT]))
    contender = Contender(target("a-rest"), workload(), native, Variant(agents=agents))
    return RunRequest(contender, "quick", phases or [Phase("Some", 4, 1.0)])


def started(project: Project, folder: Path, asked: RunRequest, ledger: Path | None) -> list[dict[str, Any]]:
    """The report of each engine process on how it was started."""
    files = RunFiles(folder / "plan.json", folder / "ledger")
    plan = compile_plan(load_workload(project, "events"), Load("t", "http", "h", 1, "m", [], ledger=ledger))
    testbed = Testbed(project, None, PlainProgress(Console(quiet=True)))
    with testbed.agents(asked, plan, files, folder / "run.stream.jsonl") as generator:
        records = generator.records(lambda _: None)
    notes = [record.message for record in records if isinstance(record, Note)]
    return sorted((json.loads(note[note.index("{") :]) for note in notes), key=lambda said: " ".join(said["arguments"]))


def test_one_engine_is_one_agent(project: Project, tmp_path: Path) -> None:
    (said,) = started(project, tmp_path, request(1), tmp_path / "ledger")
    assert said == {"ledger": str(tmp_path / "ledger"), "arguments": ["--plan", "-", "--agent", "1/1"]}
    assert json.loads((tmp_path / "plan.json").read_text())["ledger"] == str(tmp_path / "ledger")
    assert [path.name for path in tmp_path.glob("*.stream.*")] == ["run.stream.jsonl"]
    assert "agents" not in request(1).settings


def test_each_agent_has_its_number_its_ledger_and_its_stream(project: Project, tmp_path: Path) -> None:
    said = started(project, tmp_path, request(3), tmp_path / "ledger")
    shares = [each["arguments"][2:] for each in said]
    assert sorted(shares) == [["--agent", f"{number}/3"] for number in (1, 2, 3)]
    assert {each["ledger"] for each in said} == {str(tmp_path / "ledger" / f"agent-{number}") for number in (1, 2, 3)}
    assert (tmp_path / "ledger").is_dir()
    streams = {path.name for path in tmp_path.glob("*.stream.*")}
    assert streams == {"run.stream.jsonl", *(f"run.stream.agent-{number}.jsonl" for number in (1, 2, 3))}
    assert request(3).settings["agents"] == "3"


def test_without_an_audit_no_ledger_is_kept(project: Project, tmp_path: Path) -> None:
    assert [each["ledger"] for each in started(project, tmp_path, request(2), None)] == [None, None]
    assert not (tmp_path / "ledger").exists()


@pytest.mark.parametrize(("phases", "agents"), [(SMOKE, 1), ([Phase("a", 2, 1.0), Phase("b", 9, 1.0)], 2)])
def test_there_are_no_more_agents_than_users(phases: list[Phase], agents: int) -> None:
    assert request(3, *phases).agents == agents


def test_each_run_and_each_of_its_engines_has_a_log_of_its_own(project: Project, tmp_path: Path) -> None:
    """A later run overwrites none of them."""
    for agents, folder in ((1, tmp_path / "one"), (2, tmp_path / "two")):
        folder.mkdir()
        started(project, folder, request(agents), folder / "ledger")
    assert [path.name for path in (tmp_path / "one").glob("*.log")] == ["run.engine.log"]
    logs = {"run.engine.agent-1.log", "run.engine.agent-2.log"}
    assert {path.name for path in (tmp_path / "two").glob("*.log")} == logs

"""What sends a run's load: one engine, or several agents that divide the users among them."""

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bakeoff.engines.agents import Agents
from bakeoff.engines.process import EngineProcess
from bakeoff.project import Project
from bakeoff.running.run_files import RunFiles
from bakeoff.running.run_request import RunRequest
from bakeoff.workload.plan_records import Plan

# In this time every agent must have started and opened the connections of its first phase.
_START_AHEAD_NS = 1_000_000_000

Generator = EngineProcess | Agents


def generator_of(project: Project, request: RunRequest, plan: Plan, files: RunFiles, stream_file: Path) -> Generator:
    """What carries the plan out once it is entered.

    Each of several agents is given the same plan, its number, and the instant at which all begin. Its ledger lies in
    the folder that takes the ledger's place, and its stream and its log beside the merged one.
    """

    def process(own: Plan, plan_file: Path, stream: Path, share: Sequence[str] = ()) -> EngineProcess:
        schema = project.contract / "schemas" / "stream.schema.json"
        log = stream.with_name(stream.name.replace(".stream.", ".engine.").replace(".jsonl", ".log"))
        return EngineProcess(request.contender.engine, own, plan_file, stream, log, schema, share)

    count = request.agents
    if count == 1:
        return process(plan, files.plan, stream_file)
    start_at_ms = (time.time_ns() + _START_AHEAD_NS) // 1_000_000
    agents = []
    for number in range(1, count + 1):
        name = f"agent-{number}"
        ledger = None if plan.ledger is None else str(files.ledger / name)
        share = ("--agent", f"{number}/{count}", "--start-at", str(start_at_ms))
        own_stream = stream_file.with_name(stream_file.name.replace(".stream.", f".stream.{name}."))
        plan_file = files.plan if number == 1 else files.plan.with_name(f"{name}-plan.json")
        agents.append(process(msgspec.structs.replace(plan, ledger=ledger), plan_file, own_stream, share))
    if plan.ledger is not None:
        files.ledger.mkdir()
    return Agents(agents, stream_file)

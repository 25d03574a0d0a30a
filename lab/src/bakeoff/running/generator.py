"""Starts the agents that send a run's load."""

from collections.abc import Callable
from pathlib import Path

from bakeoff.engines.agents import Agents
from bakeoff.running.run_files import RunFiles
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.workload.plan_records import Plan


def generator_of(
    testbed: Testbed,
    request: RunRequest,
    plan: Plan,
    files: RunFiles,
    stream_file: Path,
    before_start: Callable[[], None] = lambda: None,
) -> Agents:
    """The agents that carry the plan out once they are entered, and call `before_start` before each start of a phase.

    Ledgers of several are in the folder that takes the ledger's place; streams and logs are beside the merged stream.
    """
    log = stream_file.with_name(stream_file.name.replace(".stream.", ".engine.").replace(".jsonl", ".log"))
    schema = testbed.project.contract / "schemas" / "stream.schema.json"
    places = list(testbed.places[: request.agents]) or [testbed.here] * request.agents
    return Agents(request.contender.engine, plan, files.plan, stream_file, log, schema, places, before_start)

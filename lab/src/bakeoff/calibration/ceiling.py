"""The engine's own ceiling: its rate against a server that does nothing."""

import signal
from dataclasses import dataclass

from bakeoff import processes
from bakeoff.engines.manifest import Engine
from bakeoff.engines.process import EngineProcess
from bakeoff.engines.stream import Record
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.running import summary
from bakeoff.sampling.cost import cpu_us_each
from bakeoff.sampling.sampler import Sampler
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, Plan, Way, compile_plan

CONNECTIONS = 64


@dataclass(frozen=True)
class Ceiling:
    """Operations a second that the engine reached, and the CPU that each took of it."""

    engine_version: str
    rate_per_s: float
    cpu_us_each: float | None


def measure_ceiling(
    project: Project, engine: Engine, server_of: Engine, workload: Workload, way: Way, payload: str, seconds: float
) -> Ceiling:
    """Drives the null server that `server_of` declares as hard as the engine can, for so many seconds."""
    port = processes.free_port()
    log = project.logs / "null-server.log"
    server = processes.start(server_of.null_command(port), log=log)
    try:
        processes.wait_until_listening(server, port, log)
        return _driven(project, engine, workload, way, payload, port, seconds, server.pid)
    finally:
        processes.stop(server, signal.SIGTERM, patience_s=5)


def _driven(
    project: Project, engine: Engine, workload: Workload, way: Way, payload: str, port: int, seconds: float, pid: int
) -> Ceiling:
    load = Load(
        target="null-server",
        protocol=way.protocol,
        host="127.0.0.1",
        port=port,
        mode="calibrate",
        phases=[{"name": "Ceiling", "virtual_users": CONNECTIONS, "duration_ms": round(seconds * 1000)}],
        payload=payload,
        batch=way.batch,
        stream=way.stream,
        window=way.window,
        verify_share=0,
    )
    plans = project.state / "plans"
    process = EngineProcess(
        engine,
        _without_reply_rules(compile_plan(workload, load)),
        plans / "calibrate.json",
        plans / "calibrate.stream.jsonl",
        project.logs / f"engine-{engine.name}.log",
        project.contract / "schemas" / "stream.schema.json",
    )
    with process, Sampler({"engine": process.pid, "api": pid}) as sampler:
        records = process.records(lambda record: _sample_at_edges(record, sampler))
    (phase,) = summary.phase_results(records, sampler.samples)
    measured = phase.measured
    if measured.ok == 0 or measured.error_rate > 0.01:
        raise BakeoffError(
            f"The engine {engine.name} could not be calibrated over {way.transport}: {measured.failed} of "
            f"{measured.requests} requests to the null server failed ({dict(measured.errors)})."
        )
    version = next(record["engine"]["version"] for record in records if record["type"] == "start")
    cost = cpu_us_each(measured.costs.get("engine"), measured.operations)
    return Ceiling(version, measured.throughput_per_s, cost)


def _without_reply_rules(plan: Plan) -> Plan:
    """The plan for a server whose replies say nothing, whatever the workload: their status alone counts."""
    calls = [call for operation in plan["operations"] for call in (operation["http"], operation["grpc"])]
    for call in (*calls, plan["batch"], plan["stream"]):
        if call is not None:
            call["reply"] = {}
    return plan


def _sample_at_edges(record: Record, sampler: Sampler) -> None:
    if record["type"] in ("phase_start", "phase_end"):
        sampler.sample()

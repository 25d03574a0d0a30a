"""The engine's own ceiling: its rate against a server that does nothing."""

import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bakeoff.calibration.null_replies import for_null_server
from bakeoff.engines.agents import alone
from bakeoff.engines.manifest import Engine
from bakeoff.engines.stream import PhaseEnd, PhaseStart, Record, Start
from bakeoff.errors import BakeoffError
from bakeoff.processes import children, ports
from bakeoff.project import Project
from bakeoff.results.cost import cpu_us_each
from bakeoff.running import summary
from bakeoff.running.modes import Phase
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.sampling.sampler import Sampler
from bakeoff.targets.access import LOOPBACK
from bakeoff.targets.certificate import Certificate
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, Tls, compile_plan
from bakeoff.workload.plan_records import Plan
from bakeoff.workload.transport_mode import TransportMode

CONNECTIONS = 64


@dataclass(frozen=True)
class Drive:
    """An engine that drives the null server that `server_of` declares; over TLS with a certificate."""

    engine: Engine
    server_of: Engine
    workload: Workload
    mode: TransportMode
    payload: str
    seconds: float
    certificate: Certificate | None = None

    @property
    def server_settings(self) -> dict[str, str]:
        """Settings that make the null server speak TLS."""
        if self.certificate is None:
            return {}
        return {"TLS_CERT_FILE": str(self.certificate.certificate), "TLS_KEY_FILE": str(self.certificate.key)}

    def plan(self, port: int) -> Plan:
        """The plan: as many requests as the engine can send."""
        load = Load(
            target="null-server",
            protocol=self.mode.protocol,
            host=LOOPBACK,
            port=port,
            mode="calibrate",
            phases=[Phase("Ceiling", CONNECTIONS, self.seconds).planned()],
            payload=self.payload,
            batch=self.mode.batch,
            stream=self.mode.stream,
            window=self.mode.window,
            tls=None if self.certificate is None else Tls(ca_file=self.certificate.authority),
            verify_share=0,
        )
        return for_null_server(compile_plan(self.workload, load))


@dataclass(frozen=True)
class Ceiling:
    """Operations a second that the engine reached, and the CPU that each took of it."""

    engine_version: str
    rate_per_s: float
    cpu_us_each: float | None


def measure_ceiling(project: Project, drive: Drive) -> Ceiling:
    """The rate of the engine when nothing but itself limits it."""
    port = ports.free_port()
    log = project.logs / "null-server.log"
    server = children.start(drive.server_of.null_command(port), log=log, environment=drive.server_settings)
    try:
        children.wait_until_listening(server, port, log)
        return _driven(project, drive, port, server.pid)
    finally:
        children.stop(server, signal.SIGTERM, timeout_s=5)


def _driven(project: Project, drive: Drive, port: int, pid: int) -> Ceiling:
    engine = drive.engine
    with tempfile.TemporaryDirectory(prefix="bakeoff-ceiling-") as folder:
        agent = alone(
            engine,
            drive.plan(port),
            Path(folder) / "plan.json",
            Path(folder) / "stream.jsonl",
            project.logs / f"engine-{engine.name}.log",
            project.contract / "schemas" / "stream.schema.json",
        )
        with agent, Sampler({"engine": ProcessTree(agent.pids[0]), "target": ProcessTree(pid)}) as sampler:
            records = agent.records(lambda record: _sample_at_edges(record, sampler))
    (phase,) = summary.phase_results(records, sampler.samples)
    measured = phase.measured
    if measured.ok == 0 or measured.error_rate > 0.01:
        raise BakeoffError(
            f"The engine {engine.name} could not be calibrated over {drive.mode.stored}: {measured.failed} of "
            f"{measured.requests} requests to the null server failed ({dict(measured.errors)})."
        )
    version = next(record.engine.version for record in records if isinstance(record, Start))
    cost = cpu_us_each(measured.costs.get("engine"), measured.operations)
    return Ceiling(version, measured.throughput_per_s, cost)


def _sample_at_edges(record: Record, sampler: Sampler) -> None:
    if isinstance(record, PhaseStart | PhaseEnd):
        sampler.sample()

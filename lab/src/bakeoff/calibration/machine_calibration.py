"""Calibrates this machine: what the engine can do, and what PostgreSQL can do without any API."""

import itertools
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.calibration.null_replies import for_null_server
from bakeoff.calibration.pgbench_lines import ReferenceBench, rows_per_s
from bakeoff.engines.agents import alone
from bakeoff.engines.manifest import Engine
from bakeoff.engines.stream import PhaseEnd, PhaseStart, Record, Start
from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.server import Server
from bakeoff.processes import children, ports
from bakeoff.project import Project
from bakeoff.results.cost import Sample, cpu_us_each
from bakeoff.results.reference_lines import LARGE_ROWS, line_name
from bakeoff.running import summary
from bakeoff.running.environment import machine_name, server_in_words
from bakeoff.running.fresh_state import fresh_table
from bakeoff.running.modes import Phase
from bakeoff.running.progress import Progress
from bakeoff.sampling.process_tree import ProcessTree
from bakeoff.sampling.sampler import Sampler
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.access import LOOPBACK
from bakeoff.targets.security import Certificate, lab_certificate
from bakeoff.workload.declaration import PROTOCOLS
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan, PlannedTls
from bakeoff.workload.transport_mode import TransportMode

_CONNECTIONS = 64


@dataclass(frozen=True)
class CalibrationRequest:
    """The calibrations to make, and the seconds of each. The engine drives the null server that `null_server` has."""

    workload: Workload
    engine: Engine
    null_server: Engine
    modes: Sequence[TransportMode]
    payloads: Sequence[str]
    seconds: float


def calibrate(
    project: Project, request: CalibrationRequest, bench: ReferenceBench | None, progress: Progress
) -> Iterator[Calibration]:
    """Yields each calibration as it is measured."""
    certificate = lab_certificate(project.state / "tls")
    for mode, encryption, payload in itertools.product(request.modes, (None, certificate), request.payloads):
        words = f"{mode.stored}, TLS" if encryption else mode.stored
        progress.step(f"{request.engine.name}: capacity over {words}, payload {payload}", request.seconds)
        yield _ceiling(project, request, mode, payload, encryption)
    for rows in LINES if bench is not None else ():
        assert bench is not None
        yield _highest(bench, rows, request.seconds, progress)


def _ceiling(
    project: Project, request: CalibrationRequest, mode: TransportMode, payload: str, certificate: Certificate | None
) -> Calibration:
    """The rate of the engine when nothing but itself limits it; over TLS with a certificate."""
    port, log, engine = ports.free_port(), project.logs / "null-server.log", request.engine
    load = Load(
        target="null-server",
        protocol=mode.protocol,
        host=LOOPBACK,
        port=port,
        mode="calibrate",
        phases=[Phase("Ceiling", _CONNECTIONS, request.seconds).planned()],
        payload=payload,
        batch=mode.batch,
        stream=mode.stream,
        window=mode.window,
        tls=None if certificate is None else PlannedTls(ca_file=str(certificate.authority)),
        verify_share=0,
    )
    settings: dict[str, str] = {}
    if certificate is not None:
        settings = {"TLS_CERT_FILE": str(certificate.certificate), "TLS_KEY_FILE": str(certificate.key)}
    server = children.start(request.null_server.null_command(port), log=log, environment=settings)
    try:
        children.wait_until_listening(server, port, log)
        plan = for_null_server(compile_plan(request.workload, load))
        records, samples = _driven(project, engine, plan, server.pid)
    finally:
        children.stop(server, signal.SIGTERM, timeout_s=5)
    (phase,) = summary.phase_results(records, samples)
    measured = phase.measured
    if measured.ok == 0 or measured.error_rate > 0.01:
        raise BakeoffError(
            f"The engine {engine.name} could not be calibrated over {mode.stored}: {measured.failed} of "
            f"{measured.requests} requests to the null server failed ({dict(measured.errors)})."
        )
    version = next(record.engine.version for record in records if isinstance(record, Start))
    return Calibration(
        machine=machine_name(),
        kind="engine",
        subject=engine.name,
        subject_version=engine.build_version(version),
        workload=request.workload.name,
        transport=mode.stored,
        payload_size=payload,
        connections=_CONNECTIONS,
        rate_per_s=measured.throughput_per_s,
        cpu_us_each=cpu_us_each(measured.costs.get("engine"), measured.operations),
        tls=certificate is not None,
    )


def _driven(project: Project, engine: Engine, plan: Plan, server_pid: int) -> tuple[list[Record], list[Sample]]:
    with tempfile.TemporaryDirectory(prefix="bakeoff-ceiling-") as name:
        log = project.logs / f"engine-{engine.name}.log"
        agent = alone(engine, plan, Path(name) / "plan.json", Path(name) / "stream.jsonl", log)
        with agent, Sampler({"engine": ProcessTree(agent.pids[0]), "target": ProcessTree(server_pid)}) as sampler:

            def sample_at_edges(record: Record) -> None:
                if isinstance(record, PhaseStart | PhaseEnd):
                    sampler.sample()

            records = agent.records(sample_at_edges)
    return records, sampler.samples


def modes_of(workload: Workload, engine: Engine, mode: TransportMode) -> list[TransportMode]:
    """The transport mode over each protocol that the workload declares it for and the engine supports."""
    declared = workload.declared
    protocols = [
        name for name in PROTOCOLS if all(operation.call(name) is not None for operation in declared.operations)
    ]
    if mode.stream:
        protocols = [name for name in protocols if declared.stream.over(name) is not None]
    elif mode.batch > 1:
        protocols = [name for name in protocols if declared.batch.over(name) is not None]
    return [mode.over(name) for name in protocols if name in engine.manifest.protocols]


LINES = (1, LARGE_ROWS)
"""The rows in each transaction of the lines that show what a commit and what a row costs."""

# Sessions that a server keeps for others than clients like these.
_KEPT_SESSIONS = 10
# A single trial may fall by chance.
_FALLS = 2


def bench_of(project: Project, workload: Workload, server: Server) -> ReferenceBench:
    """The server and the program that measure PostgreSQL alone."""
    pgbench = find_installation(project).programs / "pgbench"
    return ReferenceBench(workload, server, pgbench, project.state / "reference")


def has_reference_lines(workload: Workload) -> bool:
    """Whether the workload says how PostgreSQL alone would store its rows."""
    return workload.uses_database and workload.declared.upsert is not None


def best_connections(bench: ReferenceBench, rows: int, seconds: float, progress: Progress) -> int:
    """With how many connections the line is the highest, each tried for so long."""
    return _highest(bench, rows, seconds, progress).connections


def _highest(bench: ReferenceBench, rows: int, seconds: float, progress: Progress) -> Calibration:
    with bench.server.connect() as connection:
        row = connection.execute("SHOW max_connections").fetchone()
    most = max(1, int(row[0] if row is not None else 0) - _KEPT_SESSIONS)
    best = best_of(lambda count: draw(bench, rows, count, seconds, progress), most)
    if best.rate_per_s == 0:
        line = line_name(rows)
        raise BakeoffError(f"PostgreSQL finished no statement of {line} in {seconds:g} s: increase --duration.")
    return best


def best_of(drawn: Callable[[int], Calibration], most: int) -> Calibration:
    """The highest draw, with connections doubled until the rate has fallen twice, or there are no more."""
    best, falls, connections = drawn(1), 0, 2
    while falls < _FALLS and connections <= most:
        found = drawn(connections)
        best, falls = (found, 0) if found.rate_per_s > best.rate_per_s else (best, falls + 1)
        connections *= 2
    return best


def draw(bench: ReferenceBench, rows: int, connections: int, seconds: float, progress: Progress) -> Calibration:
    """The line once, on a fresh table."""
    line = line_name(rows)
    progress.step(f"PostgreSQL alone: {line}, {connections} connections", seconds)
    fresh_table(bench.workload, bench.server, with_schema=True)
    return Calibration(
        machine=machine_name(),
        kind="database",
        subject=line,
        subject_version=server_in_words(bench.server),
        workload=bench.workload.name,
        transport="sql",
        payload_size="default",
        connections=connections,
        rate_per_s=rows_per_s(bench, rows, connections, seconds),
    )

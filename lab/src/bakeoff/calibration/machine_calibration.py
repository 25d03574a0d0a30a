"""Calibrates this machine: what the engine can do, and what PostgreSQL can do without any API."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bakeoff.calibration import pgbench_lines
from bakeoff.calibration.ceiling import CONNECTIONS, Drive, measure_ceiling
from bakeoff.calibration.pgbench_lines import ReferenceBench
from bakeoff.engines.manifest import Engine
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.reference_lines import BATCHES, ONE_EACH
from bakeoff.running.environment import machine_name, server_in_words
from bakeoff.running.progress import Progress
from bakeoff.running.service import fresh_table
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.certificate import lab_certificate
from bakeoff.workload.declaration import PROTOCOLS
from bakeoff.workload.loader import Workload
from bakeoff.workload.transport_mode import TransportMode

# With how many connections PostgreSQL is at its best depends on cores and disk: the best of these counts.
_CONNECTIONS_TRIED = (1, 2, 4, 8, 16, 32, 64)
_BATCH_CONNECTIONS_TRIED = (1, 2, 4)


@dataclass(frozen=True)
class CalibrationRequest:
    """The calibrations to make, and the seconds of each."""

    workload: Workload
    engine: Engine
    null_server: Engine
    modes: Sequence[TransportMode]
    payloads: Sequence[str]
    seconds: float


def calibrate(
    project: Project,
    request: CalibrationRequest,
    bench: ReferenceBench | None,
    progress: Progress,
) -> Iterator[Calibration]:
    """Yields each calibration as it is measured."""
    yield from _engine(project, request, progress)
    if bench is not None:
        yield from _database(request, bench, progress)


def _engine(project: Project, request: CalibrationRequest, progress: Progress) -> Iterator[Calibration]:
    certificate = lab_certificate(project.state / "tls")
    for mode, encryption, payload in itertools.product(request.modes, (None, certificate), request.payloads):
        words = f"{mode.stored}, TLS" if encryption else mode.stored
        progress.step(f"{request.engine.name}: capacity over {words}, payload {payload}", request.seconds)
        drive = Drive(request.engine, request.null_server, request.workload, mode, payload, request.seconds, encryption)
        ceiling = measure_ceiling(project, drive)
        yield Calibration(
            machine=machine_name(),
            kind="engine",
            subject=request.engine.name,
            subject_version=request.engine.build_version(ceiling.engine_version),
            workload=request.workload.name,
            transport=mode.stored,
            payload_size=payload,
            connections=CONNECTIONS,
            rate_per_s=ceiling.rate_per_s,
            cpu_us_each=ceiling.cpu_us_each,
            tls=encryption is not None,
        )


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


class DrawnLine(StrEnum):
    """The reference lines."""

    ONE_EACH = ONE_EACH
    BATCHES = BATCHES


_DRAWN_WITH = {
    DrawnLine.ONE_EACH: (pgbench_lines.one_row_each, _CONNECTIONS_TRIED),
    DrawnLine.BATCHES: (pgbench_lines.batches, _BATCH_CONNECTIONS_TRIED),
}


def bench_of(project: Project, workload: Workload, server: Server) -> ReferenceBench:
    """The server and the program that measure PostgreSQL alone."""
    pgbench = find_installation(project).programs / "pgbench"
    return ReferenceBench(workload, server, pgbench, project.state / "reference")


def has_reference_lines(workload: Workload) -> bool:
    """Whether the workload says how PostgreSQL alone would store its rows."""
    return workload.uses_database and workload.declared.upsert is not None


def best_connections(bench: ReferenceBench, line: DrawnLine, seconds: float, progress: Progress) -> int:
    """With how many connections the line is the highest, each tried for so long."""
    _, tried = _DRAWN_WITH[line]
    rates = {count: draw(bench, line, count, seconds, progress).rate_per_s for count in tried}
    return max(rates, key=rates.__getitem__)


def draw(bench: ReferenceBench, line: DrawnLine, connections: int, seconds: float, progress: Progress) -> Calibration:
    """The line once, on a fresh table."""
    progress.step(f"PostgreSQL alone: {line}, {connections} connections", seconds)
    prepare_table(bench.workload, bench.server)
    draw_with, _ = _DRAWN_WITH[line]
    drawn = draw_with(bench, connections, seconds)
    return Calibration(
        machine=machine_name(),
        kind="database",
        subject=str(line),
        subject_version=server_in_words(bench.server),
        workload=bench.workload.name,
        transport="sql",
        payload_size="default",
        connections=connections,
        rate_per_s=drawn.rows_per_s,
    )


def _database(request: CalibrationRequest, bench: ReferenceBench, progress: Progress) -> Iterator[Calibration]:
    for line in DrawnLine:
        _, tried = _DRAWN_WITH[line]
        drawn = [draw(bench, line, connections, request.seconds, progress) for connections in tried]
        yield max(drawn, key=lambda each: each.rate_per_s)


def prepare_table(workload: Workload, server: Server) -> None:
    """A fresh, empty table, made by the workload's own schema."""
    fresh_table(workload, server)
    schema = workload.sql("schema")
    if schema is not None:
        server.execute_script(schema)

"""Calibrates this machine: what the engine can do, and what PostgreSQL can do without any API."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bakeoff.calibration import reference_lines
from bakeoff.calibration.ceiling import CONNECTIONS, Drive, measure_ceiling
from bakeoff.calibration.reference_lines import ReferenceBench, ReferenceLine
from bakeoff.engines.manifest import Engine
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.reference_lines import BATCHES, ONE_EACH
from bakeoff.running.environment import machine_name
from bakeoff.running.progress import Progress
from bakeoff.running.service import fresh_table
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.certificate import lab_certificate
from bakeoff.workload.declaration import PROTOCOLS
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Way

# pgbench is at its best with few connections on few cores, how few is unknown: the best of these counts.
_CONNECTIONS_TRIED = (16, 64)
_BATCH_CONNECTIONS_TRIED = (1, 2)


@dataclass(frozen=True)
class CalibrationRequest:
    """What to calibrate, and for how long each."""

    workload: Workload
    engine: Engine
    null_server: Engine
    ways: Sequence[Way]
    payloads: Sequence[str]
    seconds: float


def calibrate(
    project: Project,
    request: CalibrationRequest,
    server: Server | None,
    bench: ReferenceBench | None,
    progress: Progress,
) -> Iterator[Calibration]:
    """Yields each calibration as it is measured."""
    yield from _engine(project, request, progress)
    if server is not None and bench is not None:
        yield from _database(request, server, bench, progress)


def _engine(project: Project, request: CalibrationRequest, progress: Progress) -> Iterator[Calibration]:
    certificate = lab_certificate(project.state / "tls")
    for way, encryption, payload in itertools.product(request.ways, (None, certificate), request.payloads):
        words = f"{way.transport}, TLS" if encryption else way.transport
        progress.step(f"{request.engine.name}: capacity over {words}, payload {payload}", request.seconds)
        drive = Drive(request.engine, request.null_server, request.workload, way, payload, request.seconds, encryption)
        ceiling = measure_ceiling(project, drive)
        yield Calibration(
            machine=machine_name(),
            kind="engine",
            subject=request.engine.name,
            subject_version=request.engine.build_version(ceiling.engine_version),
            workload=request.workload.name,
            transport=way.transport,
            payload_size=payload,
            connections=CONNECTIONS,
            rate_per_s=ceiling.rate_per_s,
            cpu_us_each=ceiling.cpu_us_each,
            tls=encryption is not None,
        )


def ways_of(workload: Workload, engine: Engine, batch: int, stream: bool, window: int) -> list[Way]:
    """The way asked for over each protocol that the workload has it in and the engine speaks."""
    declared = workload.declared
    protocols = [
        name for name in PROTOCOLS if all(operation.call(name) is not None for operation in declared.operations)
    ]
    if stream:
        protocols = [name for name in protocols if declared.stream.over(name) is not None]
    elif batch > 1:
        protocols = [name for name in protocols if declared.batch.over(name) is not None]
    return [Way(name, batch, stream, window) for name in protocols if name in engine.manifest.protocols]


def _database(
    request: CalibrationRequest, server: Server, bench: ReferenceBench, progress: Progress
) -> Iterator[Calibration]:
    drawn = (
        (reference_lines.one_row_each, ONE_EACH, _CONNECTIONS_TRIED),
        (reference_lines.batches, BATCHES, _BATCH_CONNECTIONS_TRIED),
    )
    for draw, name, tried in drawn:
        lines: list[ReferenceLine] = []
        for connections in tried:
            progress.step(f"PostgreSQL alone: {name}, {connections} connections", request.seconds)
            prepare_table(request.workload, server)
            lines.append(draw(bench, connections, request.seconds))
        best = max(lines, key=lambda line: line.rows_per_s)
        yield Calibration(
            machine=machine_name(),
            kind="database",
            subject=name,
            subject_version=f"PostgreSQL {server.version()}",
            workload=request.workload.name,
            transport="sql",
            payload_size="default",
            connections=best.connections,
            rate_per_s=best.rows_per_s,
        )


def prepare_table(workload: Workload, server: Server) -> None:
    """A fresh, empty table, made by the workload's own schema."""
    fresh_table(workload, server)
    schema = workload.sql("schema")
    if schema is not None:
        server.execute_script(schema)

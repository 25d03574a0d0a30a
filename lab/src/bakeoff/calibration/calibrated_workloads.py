"""Calibrates this machine for several workloads and stores each calibration as it is measured."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack

from bakeoff.calibration.machine_calibration import (
    CalibrationRequest,
    bench_of,
    calibrate,
    has_reference_lines,
    modes_of,
)
from bakeoff.engines.manifest import Engine
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.variant import Variant
from bakeoff.postgres.databases import application_database
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.contender import chosen_postgres
from bakeoff.running.progress import Progress
from bakeoff.storage.calibrations import Calibration, add_calibration
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import Workload
from bakeoff.workload.transport_mode import TransportMode


def requests_of(
    workloads: Sequence[Workload],
    engine: Engine,
    null_server: Engine,
    payloads: Sequence[str],
    seconds: float,
    mode: TransportMode,
) -> list[CalibrationRequest]:
    """One for each workload that has one of the payloads and can be sent in the transport mode."""
    unknown = [payload for payload in payloads if all(payload not in each.payloads for each in workloads)]
    if unknown:
        known = " ".join(f"Payloads of {each.name}: {', '.join(each.payloads)}." for each in workloads)
        raise UsageError(f'There is no payload "{unknown[0]}". {known}')
    requests = []
    for workload in workloads:
        modes = modes_of(workload, engine, mode)
        sizes = [size for size in payloads or workload.payloads if size in workload.payloads]
        if modes and sizes:
            requests.append(CalibrationRequest(workload, engine, null_server, modes, sizes, seconds))
    if not requests:
        names = ", ".join(workload.name for workload in workloads)
        raise UsageError(f"{names} has no transport mode {mode.name} that the engine {engine.name} supports.")
    return requests


def measured_of(
    requests: Sequence[CalibrationRequest], measure: Callable[[CalibrationRequest], Iterable[Calibration]]
) -> tuple[list[Calibration], dict[str, str]]:
    """Calibrations of all requests, and the reason by workload where one failed; the others are still measured."""
    measured: list[Calibration] = []
    failed: dict[str, str] = {}
    for request in requests:
        try:
            # One by one: what was measured before an error counts.
            for calibration in measure(request):
                measured.append(calibration)
        except BakeoffError as error:
            failed[request.workload.name] = error.message
    return measured, failed


def calibrate_workloads(
    project: Project, requests: Sequence[CalibrationRequest], metrics: Server, progress: Progress
) -> tuple[list[Calibration], dict[str, str]]:
    """Calibrations of all requests, stored in `metrics`, and the reason by workload where one failed."""
    with ExitStack() as stack:
        has_lines = any(has_reference_lines(request.workload) for request in requests)
        workloads = {request.workload.name: request.workload for request in requests}
        targets = [each for each in find_targets(project) if each.workload in workloads]
        postgres = chosen_postgres(targets, workloads, Variant())
        server = stack.enter_context(application_database(project, postgres)) if has_lines else None

        def measure(request: CalibrationRequest) -> Iterator[Calibration]:
            bench = None
            if server is not None and has_reference_lines(request.workload):
                bench = bench_of(project, request.workload, server)
            for calibration in calibrate(project, request, bench, progress):
                add_calibration(metrics, calibration)
                yield calibration

        return measured_of(requests, measure)

"""`bakeoff calibrate`."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

import typer
from rich.console import Console

from bakeoff.calibration.machine_calibration import (
    CalibrationRequest,
    bench_of,
    calibrate,
    has_reference_lines,
    modes_of,
)
from bakeoff.calibration.pgbench_lines import ReferenceBench
from bakeoff.cli.progress_display import shown_on
from bakeoff.cli.runs_output import print_json, say
from bakeoff.comparing.preparation import build
from bakeoff.engines.manifest import Engine, find_engine
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.postgres.databases import application_database, metrics_database
from bakeoff.postgres.server import Server
from bakeoff.project import Project, find_project
from bakeoff.reporting.numbers import number
from bakeoff.running.lock import measuring_lab
from bakeoff.storage.calibrations import Calibration, add_calibration
from bakeoff.storage.metrics_store import MetricsStore
from bakeoff.text.durations import seconds_of
from bakeoff.text.table import Table, show
from bakeoff.workload.loader import Workload, default_workloads, load_workload
from bakeoff.workload.transport_mode import TransportMode

# The engine whose null server the others are measured against too: the cheapest there is.
_NULL_SERVER = "native"


def calibrate_machine(
    engine_name: str,
    workload_name: str | None,
    payloads: Sequence[str],
    duration: str,
    mode: TransportMode,
    as_json: bool,
) -> None:
    """Measures and stores ceilings and reference lines, then prints a table of them, or JSON.

    Without a name: of the workloads that are measured by default. `mode` is used over each protocol. A workload that
    cannot be measured is reported at the end, with exit status 1.
    """
    project = find_project()
    engine, null_server = find_engine(project, engine_name), find_engine(project, _NULL_SERVER)
    workloads = [load_workload(project, workload_name)] if workload_name else default_workloads(project)
    requests = requests_of(workloads, engine, null_server, payloads, seconds_of(duration), mode)
    with (
        shown_on(Console(stderr=True)) as progress,
        measuring_lab(project),
        contextlib.ExitStack() as stack,
    ):
        for each in {engine.name: engine, null_server.name: null_server}.values():
            each.check_toolchain()
            build(each.build, progress)
        progress.step("starting PostgreSQL")
        metrics = stack.enter_context(metrics_database(project))
        MetricsStore(metrics).migrate()
        has_lines = any(has_reference_lines(request.workload) for request in requests)
        server = stack.enter_context(application_database(project)) if has_lines else None

        def measure(request: CalibrationRequest) -> Iterator[Calibration]:
            for calibration in calibrate(project, request, _bench(project, request, server), progress):
                add_calibration(metrics, calibration)
                yield calibration

        measured, failed = measured_of(requests, measure)
    _print(measured, failed, as_json)
    if failed:
        raise typer.Exit(1)


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


def _bench(project: Project, request: CalibrationRequest, server: Server | None) -> ReferenceBench | None:
    """The bench that measures PostgreSQL alone; None where the workload has no statement for it."""
    if server is None or not has_reference_lines(request.workload):
        return None
    return bench_of(project, request.workload, server)


def _print(measured: Sequence[Calibration], failed: Mapping[str, str], as_json: bool) -> None:
    if as_json:
        calibrations = [asdict(calibration) for calibration in measured]
        print_json({"calibrations": calibrations, "failed": dict(failed)})
    elif measured:
        show(_table(measured))
    for workload, reason in failed.items():
        say(f"{workload}: not calibrated. {reason}")


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


def _table(calibrations: Sequence[Calibration]) -> Table:
    rows = [
        (
            each.subject,
            f"{each.transport} TLS" if each.tls else each.transport,
            each.payload_size,
            f"{each.connections:,}",
            f"{each.rate_per_s:,.0f}",
            number(each.cpu_us_each, 1),
        )
        for each in calibrations
    ]
    headings = ("what", "over", "payload", "connections", "per second", "CPU µs")
    return Table("", headings, rows, left=3, least=("connections", "CPU µs"))

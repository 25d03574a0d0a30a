"""`bakeoff calibrate`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.output import print_json, say
from bakeoff.cli.progress_display import shown
from bakeoff.cli.shared_options import Json
from bakeoff.cli.stored_history import stored_history
from bakeoff.project import find_project
from bakeoff.reporting.numbers import number
from bakeoff.text.durations import seconds_of
from bakeoff.text.table import Table, show

if TYPE_CHECKING:
    from bakeoff.storage.calibrations import Calibration

# The engine whose null server the others are measured against too: the cheapest there is.
_NULL_SERVER = "native"


def calibrate(
    engine: Annotated[str, typer.Option(help="Engine to calibrate.")] = "native",
    workload: Annotated[str | None, typer.Option(help="Workload whose messages are sent. [all]")] = None,
    payload: Annotated[list[str] | None, typer.Option(help="Message size; may be repeated. [all]")] = None,
    duration: Annotated[str, typer.Option(help="Duration of each measurement.")] = "3s",
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Messages in one request.")] = 1,
    stream: Annotated[bool, typer.Option("--stream", help="One long stream for each virtual user.")] = False,
    window: Annotated[
        int, typer.Option(min=1, max=4096, help="With --stream: messages in flight per virtual user.")
    ] = 1,
    json: Json = False,
) -> None:
    """Measure the limits of the engine, and of PostgreSQL alone. They hold for this machine."""
    from bakeoff.calibration.calibrated_workloads import calibrate_workloads, requests_of
    from bakeoff.comparing.preparation import build
    from bakeoff.engines.manifest import find_engine
    from bakeoff.running.lock import measuring_lab
    from bakeoff.workload.loader import default_workloads, load_workload
    from bakeoff.workload.transport_mode import TransportMode

    project = find_project()
    engines = find_engine(engine), find_engine(_NULL_SERVER)
    workloads = [load_workload(project, workload)] if workload else default_workloads(project)
    mode = TransportMode(batch, stream, window if stream else 1)
    requests = requests_of(workloads, *engines, payload or [], seconds_of(duration), mode)
    with shown() as progress, measuring_lab(project):
        for each in engines:
            each.check_toolchain()
        build([each.build for each in engines], progress)
        progress.step("starting PostgreSQL")
        with stored_history() as metrics:
            measured, failed = calibrate_workloads(project, requests, metrics, progress)
    if json:
        print_json({"calibrations": [asdict(each) for each in measured], "failed": failed})
    elif measured:
        show(_table(measured))
    for name, reason in failed.items():
        say(f"{name}: not calibrated. {reason}")
    if failed:
        raise typer.Exit(1)


def _table(calibrations: "Sequence[Calibration]") -> Table:
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

"""Stored runs as JSON, which `runs import` and `gate` read, or as CSV for spreadsheets."""

import csv
import io
from collections.abc import Iterator, Sequence

from bakeoff.engines.histograms import PERCENTILES
from bakeoff.judging.usage import bottleneck_of_run, described_bottleneck
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.results.document import VERSION, Origin, document_of, text_of
from bakeoff.results.observed import DatabaseFigures, MachineFigures, database_figures, machine_figures
from bakeoff.results.run import ROLES, Measured, RunResult
from bakeoff.sampling.cost import cpu_us_each
from bakeoff.storage.history import StoredRun, load_runs


def json_export(project: Project, server: Server, run_ids: Sequence[int]) -> str:
    """One run's document, or a list of several: everything that is stored of them."""
    runs = load_runs(server, run_ids)
    origins = _origins(server, {run.comparison_id for run in runs})
    documents = [
        document_of(run.result, project, described_bottleneck(run.result), origins[run.comparison_id]) for run in runs
    ]
    return text_of(documents[0] if len(documents) == 1 else {"version": VERSION, "runs": documents})


def csv_export(server: Server, run_ids: Sequence[int]) -> str:
    """A row for each phase of each run, and one for all its phases together (phase 0).

    PostgreSQL activity, what the machine was like and the bottleneck are of the whole run, and stand in that row only.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_HEADINGS)
    for run in load_runs(server, run_ids):
        rows.writerows(_rows(run))
    return text.getvalue()


_COSTS = ("cpu_us_each", "cpu_percent_mean", "memory_peak_mb", "pss_peak_mb")
_DATABASE = tuple(name for name in DatabaseFigures.__annotations__ if name != "waits")
_MACHINE = tuple(MachineFigures.__annotations__)
_HEADINGS = (
    *("run_id", "comparison_id", "target", "contender", "round", "test_mode", "payload_size", "engine", "status"),
    *("started_at", "phase", "phase_name", "virtual_users", "arrival_rate_per_s", "duration_s", "requests", "ok"),
    *("failed", "unsent", "operations", "throughput_per_s", "error_rate", "mean_ms", "min_ms", "p50_ms", "p90_ms"),
    *("p95_ms", "p99_ms", "p999_ms", "max_ms", "bytes_sent", "bytes_received"),
    *(f"{role}_{figure}" for role in ROLES for figure in _COSTS),
    *(f"database_{figure}" for figure in _DATABASE),
    *_MACHINE,
    "bottleneck",
    *("target_class", "contract_profile", "durability"),
)
_UNKNOWN = [None] * (len(_DATABASE) + len(_MACHINE) + 1)


def _rows(stored: StoredRun) -> Iterator[list[object]]:
    run = stored.result
    identity = _identity(stored)
    if run.total is not None:
        yield [*identity, 0, "all", "", "", *_figures(run.total), *_observed(run), *_proven(run)]
    for phase in run.phases:
        rate = "" if phase.arrival_rate_per_s is None else phase.arrival_rate_per_s
        measured = _figures(phase.measured)
        yield [*identity, phase.number, phase.name, phase.virtual_users, rate, *measured, *_UNKNOWN, *_proven(run)]


def _identity(stored: StoredRun) -> list[object]:
    run: RunResult = stored.result
    return [
        *(stored.id, stored.comparison_id, run.target, run.contender, run.round, run.mode, run.payload),
        *(run.engine, run.status.value, run.started_at.isoformat()),
    ]


def _proven(run: RunResult) -> list[object]:
    return [run.target_class, run.contract_profile, run.durability.value]


def _figures(measured: Measured) -> list[object]:
    latency = measured.latency
    costs: list[object] = []
    for role in ROLES:
        cost = measured.costs.get(role)
        costs += [
            cpu_us_each(cost, measured.operations),
            None if cost is None else cost.cpu_percent_mean,
            None if cost is None else cost.memory_peak_bytes / 1e6,
            None if cost is None or cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6,
        ]
    return [
        *(measured.duration_s, measured.requests, measured.ok, measured.failed, measured.unsent, measured.operations),
        *(measured.throughput_per_s, measured.error_rate, latency.mean_ms, latency.min_ms),
        *(latency.percentiles_ms[percentile] for percentile in PERCENTILES),
        *(latency.max_ms, measured.bytes_sent, measured.bytes_received),
        *costs,
    ]


def _observed(run: RunResult) -> list[object]:
    database, machine, bottleneck = database_figures(run), machine_figures(run), bottleneck_of_run(run)
    return [
        *([None] * len(_DATABASE) if database is None else (database.get(name) for name in _DATABASE)),
        *([None] * len(_MACHINE) if machine is None else (machine.get(name) for name in _MACHINE)),
        None if bottleneck is None else bottleneck.kind,
    ]


def _origins(server: Server, comparison_ids: set[int]) -> dict[int, Origin]:
    with server.connect() as connection:
        rows = connection.execute(
            "SELECT id, started_at, name, workload, test_mode, command, rounds FROM comparisons WHERE id = ANY(%s)",
            [list(comparison_ids)],
        ).fetchall()
    return {comparison_id: Origin(*rest) for comparison_id, *rest in rows}

"""A stored run as rows of figures, for spreadsheets."""

from collections.abc import Iterator, Mapping
from dataclasses import fields

from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.results.cost import Cost, Gauge, cpu_us_each
from bakeoff.results.database_activity import DatabaseFigures
from bakeoff.results.histograms import PERCENTILES
from bakeoff.results.machine_state import MachineFigures
from bakeoff.results.observed import database_figures, machine_figures
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import ROLES, Measured, RunResult
from bakeoff.storage.stored_runs import StoredRun

_COSTS = ("cpu_us_each", "cpu_percent_mean", "memory_peak_mb", "pss_peak_mb")
_DATABASE = tuple(each.name for each in fields(DatabaseFigures) if each.name != "waits")
_MACHINE = tuple(each.name for each in fields(MachineFigures))
_BYTES = ("bytes_sent", "bytes_received", "sent_bytes_per_s", "received_bytes_per_s")
_REQUESTS = ("requests", "ok", "failed", "error_rate")
HEADINGS = (
    *("run_id", "comparison_id", "target", "contender", "round", "test_mode", "payload_size", "engine", "status"),
    *("started_at", "phase", "phase_name", "virtual_users", "arrival_rate_per_s", "operation", "duration_s"),
    *("requests", "ok", "failed", "unsent", "operations", "throughput_per_s", "error_rate", "mean_ms", "min_ms"),
    *(f"{name.replace('.', '')}_ms" for name in PERCENTILES),
    *("max_ms", *_BYTES, "errors", "statuses", "checked", "checks_failed"),
    *(f"{role}_{figure}" for role in ROLES for figure in _COSTS),
    "gauges",
    *(f"database_{figure}" for figure in _DATABASE),
    *_MACHINE,
    "bottleneck",
    *("target_class", "contract_profile", "durability"),
)

Row = dict[str, str | int | float | None]


def rows_of(stored: StoredRun) -> Iterator[Row]:
    """A row for each phase, and before them one for all phases together (phase 0); after each, one per operation."""
    run, identity = stored.result, _identity(stored)
    if run.total is not None:
        all_phases = {**identity, "phase": 0, "phase_name": "all"}
        yield {**all_phases, **_figures(run.total), **_observed(run)}
        yield from _operations(all_phases, run.total)
    for phase in run.phases:
        place = {**identity, "phase": phase.number, "phase_name": phase.name, "virtual_users": phase.virtual_users}
        place["arrival_rate_per_s"] = phase.arrival_rate_per_s
        yield {**place, **_figures(phase.measured)}
        yield from _operations(place, phase.measured)


def _identity(stored: StoredRun) -> Row:
    run = stored.result
    own = ("target", "contender", "round", "engine", "status", "target_class", "contract_profile", "durability")
    return {
        **{name: getattr(run, name) for name in own},
        "run_id": stored.id,
        "comparison_id": stored.comparison_id,
        "started_at": run.started_at.isoformat(),
        "test_mode": run.mode,
        "payload_size": run.payload,
    }


def _operations(place: Row, measured: Measured) -> Iterator[Row]:
    for name, each in measured.by_operation.items():
        throughput = measured.operation_throughput_per_s(name)
        own: Row = {"operation": name, "duration_s": measured.duration_s, "throughput_per_s": throughput}
        yield {**place, **own, **_replies(each), "checked": each.checked, "checks_failed": each.checks_failed}


def _figures(measured: Measured) -> Row:
    names = ("duration_s", "unsent", "operations", "throughput_per_s", *_BYTES)
    operations = measured.by_operation.values()
    return {
        **{name: getattr(measured, name) for name in names},
        **_replies(measured),
        **{name: sum(getattr(each, name) for each in operations) for name in ("checked", "checks_failed")},
        **{
            f"{role}_{name}": value
            for role, cost in measured.costs.items()
            for name, value in zip(_COSTS, _cost(cost, measured.operations), strict=True)
        },
        "gauges": _gauges(measured.gauges),
    }


def _replies(part: Measured | MeasuredOperation) -> Row:
    return {
        **{name: getattr(part, name) for name in _REQUESTS},
        **{f"{name.replace('.', '')}_ms": value for name, value in part.latency.shown.items()},
        **{name: _counts(getattr(part, name)) for name in ("errors", "statuses")},
    }


def _cost(cost: Cost, operations: int) -> tuple[float | None, ...]:
    pss_mb = None if cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6
    return cpu_us_each(cost, operations), cost.cpu_percent_mean, cost.memory_peak_bytes / 1e6, pss_mb


def _counts(counts: Mapping[str, int]) -> str:
    """`200: 12; 404: 3`."""
    return "; ".join(f"{name}: {count}" for name, count in sorted(counts.items()))


def _gauges(gauges: Mapping[str, Gauge]) -> str:
    """`requests in flight: mean 12.5, maximum 20 requests`, each after a semicolon."""
    each = (
        f"{name}: mean {gauge.mean:.10g}, maximum {gauge.maximum:.10g} {gauge.unit}" for name, gauge in gauges.items()
    )
    return "; ".join(each)


def _observed(run: RunResult) -> Row:
    database, machine, bottleneck = database_figures(run), machine_figures(run), bottleneck_of_run(run)
    return {
        **{f"database_{name}": getattr(database, name, None) for name in _DATABASE},
        **{name: getattr(machine, name, None) for name in _MACHINE},
        "bottleneck": None if bottleneck is None else bottleneck.kind,
    }

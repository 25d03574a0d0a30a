"""A stored run as rows of figures, for spreadsheets."""

from collections.abc import Iterator, Mapping

from bakeoff.judging.usage_at_peak import bottleneck_of_run
from bakeoff.results.cost import cpu_us_each
from bakeoff.results.gauge import Gauge
from bakeoff.results.histograms import PERCENTILES, Latency
from bakeoff.results.observed import DatabaseFigures, MachineFigures, database_figures, machine_figures
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import ROLES, Measured, RunResult
from bakeoff.storage.stored_runs import StoredRun

_COSTS = ("cpu_us_each", "cpu_percent_mean", "memory_peak_mb", "pss_peak_mb")
_DATABASE = tuple(name for name in DatabaseFigures.__annotations__ if name != "waits")
_MACHINE = tuple(MachineFigures.__annotations__)
HEADINGS = (
    *("run_id", "comparison_id", "target", "contender", "round", "test_mode", "payload_size", "engine", "status"),
    *("started_at", "phase", "phase_name", "virtual_users", "arrival_rate_per_s", "operation", "duration_s"),
    *("requests", "ok", "failed", "unsent", "operations", "throughput_per_s", "error_rate", "mean_ms", "min_ms"),
    *("p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms", "bytes_sent", "bytes_received"),
    *("sent_bytes_per_s", "received_bytes_per_s", "errors", "statuses", "checked", "checks_failed"),
    *(f"{role}_{figure}" for role in ROLES for figure in _COSTS),
    "gauges",
    *(f"database_{figure}" for figure in _DATABASE),
    *_MACHINE,
    "bottleneck",
    *("target_class", "contract_profile", "durability"),
)
_UNOBSERVED = [None] * (len(_DATABASE) + len(_MACHINE) + 1)
_NO_BYTES = [None] * 4
_NO_COSTS = [None] * (len(ROLES) * len(_COSTS) + 1)


def rows_of(stored: StoredRun) -> Iterator[list[object]]:
    """A row for each phase, and before them one for all phases together (phase 0); after each, one per operation."""
    run = stored.result
    identity = _identity(stored)
    if run.total is not None:
        all_phases = [*identity, 0, "all", "", ""]
        yield [*all_phases, "", *_figures(run.total), *_observed(run), *_proven(run)]
        yield from _operations(all_phases, run.total, _proven(run))
    for phase in run.phases:
        rate = "" if phase.arrival_rate_per_s is None else phase.arrival_rate_per_s
        place = [*identity, phase.number, phase.name, phase.virtual_users, rate]
        yield [*place, "", *_figures(phase.measured), *_UNOBSERVED, *_proven(run)]
        yield from _operations(place, phase.measured, _proven(run))


def _identity(stored: StoredRun) -> list[object]:
    run: RunResult = stored.result
    return [
        *(stored.id, stored.comparison_id, run.target, run.contender, run.round, run.mode, run.payload),
        *(run.engine, run.status.value, run.started_at.isoformat()),
    ]


def _proven(run: RunResult) -> list[object]:
    return [run.target_class, run.contract_profile, run.durability.value]


def _operations(place: list[object], measured: Measured, proven: list[object]) -> Iterator[list[object]]:
    for name, each in measured.by_operation.items():
        throughput = measured.operation_throughput_per_s(name)
        yield [*place, name, *_operation(measured.duration_s, throughput, each), *_NO_COSTS, *_UNOBSERVED, *proven]


def _operation(duration_s: float, throughput_per_s: float, each: MeasuredOperation) -> list[object]:
    return [
        *(duration_s, each.requests, each.ok, each.failed, None, None, throughput_per_s, each.error_rate),
        *_latencies(each.latency),
        *_NO_BYTES,
        *(_counts(each.errors), _counts(each.statuses), each.checked, each.checks_failed),
    ]


def _figures(measured: Measured) -> list[object]:
    costs: list[object] = []
    for role in ROLES:
        cost = measured.costs.get(role)
        costs += [
            cpu_us_each(cost, measured.operations),
            None if cost is None else cost.cpu_percent_mean,
            None if cost is None else cost.memory_peak_bytes / 1e6,
            None if cost is None or cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6,
        ]
    operations = measured.by_operation.values()
    return [
        *(measured.duration_s, measured.requests, measured.ok, measured.failed, measured.unsent, measured.operations),
        *(measured.throughput_per_s, measured.error_rate),
        *_latencies(measured.latency),
        *(measured.bytes_sent, measured.bytes_received, measured.sent_bytes_per_s, measured.received_bytes_per_s),
        *(_counts(measured.errors), _counts(measured.statuses)),
        *(sum(each.checked for each in operations), sum(each.checks_failed for each in operations)),
        *costs,
        _gauges(measured.gauges),
    ]


def _latencies(latency: Latency) -> list[object]:
    percentiles = (latency.percentiles_ms[percentile] for percentile in PERCENTILES)
    return [latency.mean_ms, latency.min_ms, *percentiles, latency.max_ms]


def _counts(counts: Mapping[str, int]) -> str:
    """`200: 12; 404: 3`."""
    return "; ".join(f"{name}: {count}" for name, count in sorted(counts.items()))


def _gauges(gauges: Mapping[str, Gauge]) -> str:
    """`requests in flight: mean 12.5, maximum 20 requests`, each after a semicolon."""
    each = (
        f"{name}: mean {gauge.mean:.10g}, maximum {gauge.maximum:.10g} {gauge.unit}" for name, gauge in gauges.items()
    )
    return "; ".join(each)


def _observed(run: RunResult) -> list[object]:
    database, machine, bottleneck = database_figures(run), machine_figures(run), bottleneck_of_run(run)
    return [
        *([None] * len(_DATABASE) if database is None else (database.get(name) for name in _DATABASE)),
        *([None] * len(_MACHINE) if machine is None else (machine.get(name) for name in _MACHINE)),
        None if bottleneck is None else bottleneck.kind,
    ]

"""A run in one row of figures: what lists, comparisons, trends and gates need, without histograms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median, median_low
from typing import TYPE_CHECKING, Any

# A list of stored runs needs no run as a value, and does not wait for what that takes.
if TYPE_CHECKING:
    from psycopg.abc import Params

    from bakeoff.postgres.server import Server
    from bakeoff.results.run import Measured, RunResult


@dataclass(frozen=True)
class Series:
    """One contender under one load. Runs of the same series measured the same thing.

    `phase` is empty where all phases are meant together, `operation` where all operations are.
    """

    contender: str
    mode: str
    payload: str
    engine: str
    load: str
    settings: tuple[tuple[str, str], ...]
    phase: str = ""
    operation: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all phases and operations are meant together."""
        return not self.phase and not self.operation

    @property
    def label(self) -> str:
        """For people; settings are left out, which rarely differ, and what is not known."""
        load = (
            self.load
            if not self.load or self.load.endswith("/s")
            else f"{self.load} user{'' if self.load == '1' else 's'}"
        )
        return " · ".join(
            part for part in (self.contender, self.mode, self.payload, load, self.phase, self.operation) if part
        )


@dataclass(frozen=True)
class RunFigures:
    """A row of the view `run_figures`. Figures are None where the run measured nothing; ids are 0 outside the database.

    Latencies are of all phases together, milliseconds. `load` lists the phases' virtual users, or their arrival rates
    (`64,256`, `1000/s,5000/s`); `settings` are those of target and load but the seed. `best_load` is the phase in which
    the run did most, with its figures. `error_rate` counts replies that were not checked as often wrong as those that
    were. `workload_digest` is empty where it is not known. `phase` (`phase 2 at 50 users`) or `operation` names the
    part of the run that the figures are of; both are empty for the whole run.
    """

    id: int
    comparison_id: int
    target: str
    contender: str
    workload: str
    protocol: str
    mode: str
    payload: str
    engine: str
    load: str | None
    settings: Mapping[str, str]
    round: int
    status: str
    started_at: datetime
    commit: str | None
    machine: str
    workload_digest: str
    durability: str = "unknown"
    best_load: str | None = None
    best_throughput_per_s: float | None = None
    best_min_ms: float | None = None
    best_mean_ms: float | None = None
    best_p50_ms: float | None = None
    best_p99_ms: float | None = None
    best_requests: int | None = None
    duration_s: float | None = None
    requests: int | None = None
    failed: int | None = None
    throughput_per_s: float | None = None
    error_rate: float | None = None
    p50_ms: float | None = None
    p90_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    p999_ms: float | None = None
    max_ms: float | None = None
    mean_ms: float | None = None
    min_ms: float | None = None
    sent_bytes_per_s: float | None = None
    received_bytes_per_s: float | None = None
    target_cpu_us_each: float | None = None
    target_memory_peak_mb: float | None = None
    database_cpu_us_each: float | None = None
    phase: str = ""
    operation: str = ""

    def readable(self) -> "RunFigures":
        """For people: without the percentiles that too few of its requests lie beyond."""
        from bakeoff.results.histograms import is_known

        counts = {
            "p99_ms": ("p99", self.requests),
            "p999_ms": ("p99.9", self.requests),
            "best_p99_ms": ("p99", self.best_requests),
        }
        unknown: dict[str, Any] = {
            field: None for field, (name, count) in counts.items() if not is_known(name, count or 0)
        }
        return replace(self, **unknown)

    @property
    def series(self) -> Series:
        """The measured load: figures may be compared with each other where it is the same."""
        settings = tuple(sorted(self.settings.items()))
        load = (self.load or "", settings, self.phase, self.operation)
        return Series(self.contender, self.mode, self.payload, self.engine, *load)


def read_figures(server: "Server", statement: str, values: "Params") -> list[RunFigures]:
    """The rows of a statement that reads from the view, for people."""
    from psycopg.rows import class_row

    with server.connect() as connection, connection.cursor(row_factory=class_row(RunFigures)) as cursor:
        return [each.readable() for each in cursor.execute(statement.encode(), values)]


# The figures of a measured span, by the columns that `storage.rows.measured_row` fills.
COLUMNS = {
    "duration_s": "duration_s",
    "requests": "total_requests",
    "failed": "failed_requests",
    **{
        name: name
        for name in (
            *("throughput_per_s", "error_rate", "sent_bytes_per_s", "received_bytes_per_s"),
            *("target_cpu_us_each", "target_memory_peak_mb", "database_cpu_us_each"),
        )
    },
    **{f"{name}_ms": f"latency_{name}_ms" for name in ("min", "mean", "p50", "p90", "p95", "p99", "p999", "max")},
}
_AT_BEST = ("throughput_per_s", "min_ms", "mean_ms", "p50_ms", "p99_ms", "requests")


@dataclass(frozen=True)
class Metric:
    """A figure that people ask for by name. `field` is that of RunFigures."""

    name: str
    field: str
    unit: str
    more_is_better: bool = False

    def of(self, run: RunFigures) -> float | None:
        """The run's figure, None where it has none."""
        value: float | None = getattr(run, self.field)
        return value

    def of_each(self, runs: Sequence[RunFigures]) -> list[float | None]:
        """The runs' figures; a percentile that the requests of all of them are too few for is None."""
        from bakeoff.results.histograms import is_known

        few = self.unit == "ms" and not is_known(self.name, sum(run.requests or 0 for run in runs))
        return [None if few else self.of(run) for run in runs]

    def median(self, values: Sequence[float]) -> float:
        """Over rounds, as in reports: of a latency no mean of two rounds is taken."""
        return (median_low if self.unit == "ms" else median)(values)


METRICS = {
    metric.name: metric
    for metric in (
        Metric("throughput", "throughput_per_s", "ops/s", more_is_better=True),
        Metric("mean", "mean_ms", "ms"),
        Metric("min", "min_ms", "ms"),
        Metric("p50", "p50_ms", "ms"),
        Metric("p90", "p90_ms", "ms"),
        Metric("p95", "p95_ms", "ms"),
        Metric("p99", "p99_ms", "ms"),
        Metric("p99.9", "p999_ms", "ms"),
        Metric("max", "max_ms", "ms"),
        Metric("errors", "error_rate", "share"),
        Metric("cpu", "target_cpu_us_each", "µs/op"),
        Metric("memory", "target_memory_peak_mb", "MB"),
        Metric("database-cpu", "database_cpu_us_each", "µs/op"),
        Metric("sent", "sent_bytes_per_s", "B/s", more_is_better=True),
        Metric("received", "received_bytes_per_s", "B/s", more_is_better=True),
    )
}


def figures_of(run: "RunResult", run_id: int = 0, comparison_id: int = 0) -> RunFigures:
    """The same row for a run that is at hand as a value."""
    best = run.best_phase
    at_best = {} if best is None else measured_figures(best.measured)
    whole = {} if run.total is None else measured_figures(run.total)
    whole |= {f"best_{name}": at_best.get(name) for name in _AT_BEST}
    return RunFigures(
        id=run_id,
        comparison_id=comparison_id,
        target=run.target,
        contender=run.name,
        workload=run.workload,
        protocol=run.protocol,
        mode=run.mode,
        payload=run.payload,
        engine=run.engine,
        load=run.load,
        settings={name: value for name, value in run.settings.items() if name != "seed"},
        round=run.round,
        status=run.status.value,
        started_at=run.started_at,
        commit=run.environment.get("commit"),
        machine=run.machine,
        workload_digest=run.workload_digest,
        durability=run.durability,
        best_load=None if best is None else best.load,
        **whole,
    )


def measured_figures(measured: "Measured") -> dict[str, Any]:
    """The figures of a span that is at hand as a value."""
    from bakeoff.storage.rows import measured_row

    row = measured_row(measured)
    return {name: row[column] for name, column in COLUMNS.items()}

"""A run's phases as figures of their own, and both together as a measurement that a gate judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bakeoff.history.conditions import Conditions, conditions_of
from bakeoff.history.operation_figures import OperationFigures, operations_of
from bakeoff.history.run_figures import RunFigures, Series, figures_of, load_in_words
from bakeoff.postgres.server import Server
from bakeoff.results.run import RunResult
from bakeoff.storage.rows import Value

_STORED = """
SELECT
    test_run_id AS run,
    'phase ' || phase_number || ' at '
        || coalesce(arrival_rate_per_s::text || '/s', virtual_users::text || ' users') AS phase,
    duration_s,
    total_requests AS requests,
    failed_requests AS failed,
    throughput_per_s,
    error_rate,
    latency_p50_ms AS p50_ms,
    latency_p90_ms AS p90_ms,
    latency_p95_ms AS p95_ms,
    latency_p99_ms AS p99_ms,
    latency_p999_ms AS p999_ms,
    latency_max_ms AS max_ms,
    latency_mean_ms AS mean_ms,
    latency_min_ms AS min_ms,
    bytes_sent / nullif(duration_s, 0) AS sent_bytes_per_s,
    bytes_received / nullif(duration_s, 0) AS received_bytes_per_s,
    (costs #>> '{target,cpu_s}')::double precision * 1e6 / nullif(operations, 0) AS target_cpu_us_each,
    (costs #>> '{target,memory_peak_bytes}')::double precision / 1e6 AS target_memory_peak_mb
FROM test_phases
WHERE test_run_id = ANY(%s)
ORDER BY test_run_id, phase_number
"""


@dataclass(frozen=True)
class PhaseFigures(RunFigures):
    """One phase of a run: its own figures, and of the run all else. `phase` is like `phase 2 at 50 users`."""

    phase: str

    @property
    def series(self) -> Series:
        """A phase is measured again by the same phase of a run of the same series."""
        return replace(super().series, phase=self.phase)


@dataclass(frozen=True)
class Measurement:
    """Runs, their phases and operations, and what they found the machine like.

    A run of one phase has none: its own figures say the same. Not every run recorded its conditions, or operations.
    """

    runs: Sequence[RunFigures]
    phases: Sequence[PhaseFigures]
    conditions: Sequence[Conditions] = ()
    operations: Sequence[OperationFigures] = ()


def measurement_of(results: Iterable[RunResult]) -> Measurement:
    """Of runs that are at hand as values."""
    results = list(results)
    return Measurement(
        [figures_of(run) for run in results],
        [phase for run in results for phase in phases_of(run)],
        [conditions_of(run.machine_state) for run in results if run.machine_state is not None],
        [operation for run in results for operation in operations_of(run)],
    )


def phases_of(run: RunResult) -> list[PhaseFigures]:
    """The phases of a run that has several."""
    if len(run.phases) < 2:
        return []
    loads = (figures_of(run).load or "").split(",")
    return [
        PhaseFigures(**vars(figures_of(replace(run, total=phase.measured))), phase=_phase(phase.number, load))
        for phase, load in zip(run.phases, loads, strict=True)
    ]


def stored_phases(server: Server, runs: Sequence[RunFigures]) -> list[PhaseFigures]:
    """The phases of stored runs that have several, in the order of their runs."""
    from psycopg.rows import dict_row

    with server.connect() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_STORED, [[run.id for run in runs]]).fetchall()
    grouped: dict[int, list[dict[str, Value]]] = {}
    for row in rows:
        grouped.setdefault(row.pop("run"), []).append(row)
    several = [(run, grouped[run.id]) for run in runs if len(grouped.get(run.id, [])) > 1]
    return [PhaseFigures(**{**vars(run), **row}) for run, phases in several for row in phases]


def _phase(number: int, load: str) -> str:
    return f"phase {number} at {load_in_words(load)}"

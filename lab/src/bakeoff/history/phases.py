"""A run's phases as figures, and both together as a measurement that a gate judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bakeoff.history.conditions import Conditions, conditions_of
from bakeoff.history.operation_figures import operations_of
from bakeoff.history.run_figures import COLUMNS, RunFigures, figures_of, load_in_words, measured_figures
from bakeoff.postgres.server import Server
from bakeoff.results.run import RunResult

_FIGURES = ", ".join(f"{column} AS {name}" for name, column in COLUMNS.items())
_STORED = f"""
SELECT
    test_run_id AS run,
    'phase ' || phase_number || ' at '
        || coalesce(arrival_rate_per_s::text || '/s', virtual_users::text || ' users') AS phase,
    {_FIGURES}
FROM test_phases
WHERE test_run_id = ANY(%s)
ORDER BY test_run_id, phase_number
""".encode()  # noqa: S608 — names of the table above


@dataclass(frozen=True)
class Measurement:
    """Runs, their phases and operations, and the conditions of the machine.

    A run of one phase has none: its own figures say the same. Not every run recorded its conditions, or operations.
    """

    runs: Sequence[RunFigures]
    phases: Sequence[RunFigures]
    conditions: Sequence[Conditions] = ()
    operations: Sequence[RunFigures] = ()


def measurement_of(results: Iterable[RunResult]) -> Measurement:
    """Of runs that are at hand as values."""
    results = list(results)
    return Measurement(
        [figures_of(run) for run in results],
        [phase for run in results for phase in phases_of(run)],
        [conditions_of(run.machine_state) for run in results if run.machine_state is not None],
        [operation for run in results for operation in operations_of(run)],
    )


def phases_of(run: RunResult) -> list[RunFigures]:
    """The phases of a run that has several."""
    if len(run.phases) < 2:
        return []
    whole = figures_of(run)
    loads = (whole.load or "").split(",")
    return [
        replace(whole, **measured_figures(phase.measured), phase=f"phase {phase.number} at {load_in_words(load)}")
        for phase, load in zip(run.phases, loads, strict=True)
    ]


def stored_phases(server: Server, runs: Sequence[RunFigures]) -> list[RunFigures]:
    """The phases of stored runs that have several, in the order of their runs."""
    from psycopg.rows import DictRow, dict_row

    with server.connect() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_STORED, [[run.id for run in runs]]).fetchall()
    grouped: dict[int, list[DictRow]] = {}
    for row in rows:
        grouped.setdefault(row.pop("run"), []).append(row)
    several = [(run, grouped[run.id]) for run in runs if len(grouped.get(run.id, [])) > 1]
    return [replace(run, **row) for run, phases in several for row in phases]

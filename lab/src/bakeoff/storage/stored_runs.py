"""Reads comparisons and their runs back out of the metrics database, as the values they were stored from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from psycopg import Connection
from psycopg.rows import DictRow, TupleRow, dict_row, kwargs_row

from bakeoff.documents.checked import Json
from bakeoff.errors import NotFoundError
from bakeoff.postgres.server import Server
from bakeoff.project import COMMAND
from bakeoff.results.labels import Labels, labels_of, matches, refuse_unmatched
from bakeoff.results.run import RunResult
from bakeoff.results.stack import stack_in
from bakeoff.storage.rows import Row, run_of_rows

_COMPARISON = (
    "SELECT id, name, workload, test_mode, command, status, rounds, started_at, finished_at, not_measured, scale,"
    " request, refused"
)
_BY_ID = f"{_COMPARISON} FROM comparisons WHERE id = %s".encode()
_LATEST = f"""
{_COMPARISON} FROM comparisons
WHERE %s::int IS NULL AND NOT confirmation
    AND EXISTS (SELECT FROM test_runs WHERE comparison_id = comparisons.id)
ORDER BY id DESC LIMIT 1
""".encode()
_RUNS_OF_MODE = "SELECT id FROM test_runs WHERE comparison_id = %s AND test_mode = %s ORDER BY started_at, id"

_DRAWS = "SELECT subject, rate_per_s FROM calibrations WHERE comparison_id = %s ORDER BY measured_at, id"


@dataclass(frozen=True)
class StoredRun:
    """A run with its id."""

    id: int
    comparison_id: int
    result: RunResult


@dataclass(frozen=True)
class StoredComparison:
    """One invocation with its runs in the order in which they were made; smoke runs before longer ones are left out.

    `reference_draws` are rows a second of each reference line that was measured before and after it, in that order.
    `scale` is the factor whose levels are counts of something, so that throughput along them is a curve; or empty.
    `request` is empty where it was imported; `refused` are those not measured that could have been.
    """

    id: int | None
    name: str
    workload: str
    mode: str
    command: str
    status: str
    rounds: int
    started_at: datetime
    finished_at: datetime | None
    not_measured: Mapping[str, str]
    runs: Sequence[StoredRun]
    reference_draws: Mapping[str, Sequence[float]] = field(default_factory=dict)
    scale: str = ""
    request: Mapping[str, Json] = field(default_factory=dict)
    refused: Collection[str] = ()


def with_labels(stored: StoredComparison, where: Sequence[str]) -> StoredComparison:
    """The runs of targets whose labels meet the conditions, under a name that says so."""
    labels = {run.id: _labels_of(run.result) for run in stored.runs}
    refuse_unmatched(labels.values(), where)
    runs = [run for run in stored.runs if matches(labels[run.id], where)]
    return replace(stored, runs=runs, name=" · ".join([stored.name or stored.mode, *where]))


def _labels_of(run: RunResult) -> Labels:
    parts = stack_in(run.environment).parts
    return labels_of(run.workload, run.language, run.protocol, run.target_class, parts)


def load_comparison(server: Server, comparison_id: int | None = None) -> StoredComparison:
    """A comparison with all its runs; without an id, the latest that has any and is no rerun of a gate."""
    with server.connect() as connection:
        with connection.cursor(row_factory=kwargs_row(_comparison)) as cursor:
            found = cursor.execute(_LATEST if comparison_id is None else _BY_ID, [comparison_id]).fetchone()
        if found is None:
            raise NotFoundError(
                f"Nothing has been measured yet: start with {COMMAND} run smoke."
                if comparison_id is None
                else f"There is no comparison c{comparison_id}. {COMMAND} runs list shows the comparison of each run."
            )
        ids = connection.execute(_RUNS_OF_MODE, [found.id, found.mode]).fetchall()
        draws: dict[str, list[float]] = {}
        for name, rate in connection.execute(_DRAWS, [found.id]).fetchall():
            draws.setdefault(name, []).append(rate)
        runs = _load(connection, [run_id for (run_id,) in ids])
        return replace(found, runs=runs, reference_draws=draws)


def load_runs(server: Server, run_ids: Sequence[int]) -> list[StoredRun]:
    """Runs by their ids, in that order. An id that is not there is an error that names it."""
    with server.connect() as connection:
        runs = _load(connection, run_ids)
    missing = set(run_ids) - {run.id for run in runs}
    if missing:
        raise NotFoundError(f"There is no run {min(missing)}. {COMMAND} runs list shows the stored ones.")
    return runs


def _comparison(test_mode: str, **columns: Any) -> StoredComparison:  # each of the type that its member has
    return StoredComparison(mode=test_mode, runs=[], **columns)


# The tables that hold parts of a run, and the order of these.
_PARTS = {
    "performance_metrics": "test_run_id",
    "test_phases": "phase_number",
    "resource_metrics": "sampled_at",
    "findings": "id",
}


def _load(connection: Connection[TupleRow], ids: Sequence[int]) -> list[StoredRun]:
    rows = {row["id"]: row for row in _all(connection, "SELECT * FROM test_runs WHERE id = ANY(%s)", ids)}
    parts = [_grouped(connection, table, order, ids) for table, order in _PARTS.items()]
    return [
        StoredRun(
            run_id, rows[run_id]["comparison_id"], run_of_rows(rows[run_id], *(each.get(run_id, []) for each in parts))
        )
        for run_id in ids
        if run_id in rows
    ]


def _grouped(connection: Connection[TupleRow], table: str, order: str, ids: Sequence[int]) -> dict[int, list[Row]]:
    statement = f"SELECT * FROM {table} WHERE test_run_id = ANY(%s) ORDER BY test_run_id, {order}"  # noqa: S608 — of the tables above
    grouped: dict[int, list[Row]] = {}
    for row in _all(connection, statement, ids):
        grouped.setdefault(row["test_run_id"], []).append(row)
    return grouped


def _all(connection: Connection[TupleRow], statement: str, ids: Sequence[int]) -> list[DictRow]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement.encode(), [list(ids)]).fetchall()

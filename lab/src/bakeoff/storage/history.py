"""Reads comparisons and their runs back out of the metrics database, as the values they were stored from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import dict_row

from bakeoff.engines import histograms
from bakeoff.engines.histograms import Latency
from bakeoff.errors import NotFoundError
from bakeoff.postgres.server import Server
from bakeoff.results.run import Finding, Measured, PhaseResult, RunResult, Second, Status
from bakeoff.sampling.cost import Cost
from bakeoff.sampling.sampler import Sample

Row = dict[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class StoredRun:
    """A run with its id."""

    id: int
    comparison_id: int
    result: RunResult


@dataclass(frozen=True)
class StoredComparison:
    """One invocation with its runs in the order in which they were made; smoke runs before longer ones are left out."""

    id: int
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


def load_comparison(server: Server, comparison_id: int | None = None) -> StoredComparison:
    """A comparison with all its runs; without an id, the latest that has any and is no rerun of a gate."""
    with server.connect() as connection:
        wanted = comparison_id if comparison_id is not None else _latest(connection)
        row = _one(connection, "SELECT * FROM comparisons WHERE id = %s", [wanted])
        if row is None:
            raise NotFoundError(
                "Nothing has been measured yet: begin with ./bakeoff run smoke."
                if wanted is None
                else f"There is no comparison {wanted}. ./bakeoff runs list shows what there is."
            )
        ids = [
            each["id"]
            for each in _all(
                connection,
                "SELECT id FROM test_runs WHERE comparison_id = %s AND test_mode = %s ORDER BY started_at, id",
                [wanted, row["test_mode"]],
            )
        ]
        runs = _load(connection, ids)
    return StoredComparison(
        id=row["id"],
        name=row["name"],
        workload=row["workload"],
        mode=row["test_mode"],
        command=row["command"],
        status=row["status"],
        rounds=row["rounds"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        not_measured=row["not_measured"],
        runs=runs,
    )


def load_runs(server: Server, run_ids: Sequence[int]) -> list[StoredRun]:
    """Runs by their ids, in that order. An id that is not there is an error that names it."""
    with server.connect() as connection:
        runs = _load(connection, run_ids)
    missing = set(run_ids) - {run.id for run in runs}
    if missing:
        raise NotFoundError(f"There is no run {min(missing)}. ./bakeoff runs list shows what there is.")
    return runs


def _latest(connection: "psycopg.Connection[Any]") -> int | None:
    row = _one(
        connection,
        "SELECT id FROM comparisons WHERE NOT confirmation"
        " AND EXISTS (SELECT FROM test_runs WHERE comparison_id = comparisons.id) ORDER BY id DESC LIMIT 1",
        [],
    )
    return None if row is None else int(row["id"])


def _load(connection: "psycopg.Connection[Any]", ids: Sequence[int]) -> list[StoredRun]:
    rows = {row["id"]: row for row in _all(connection, "SELECT * FROM test_runs WHERE id = ANY(%s)", [list(ids)])}
    totals = _grouped(connection, "SELECT * FROM performance_metrics WHERE test_run_id = ANY(%s)", ids)
    phases = _grouped(
        connection, "SELECT * FROM test_phases WHERE test_run_id = ANY(%s) ORDER BY test_run_id, phase_number", ids
    )
    samples = _grouped(
        connection, "SELECT * FROM resource_metrics WHERE test_run_id = ANY(%s) ORDER BY test_run_id, sampled_at", ids
    )
    findings = _grouped(connection, "SELECT * FROM findings WHERE test_run_id = ANY(%s) ORDER BY test_run_id, id", ids)
    return [
        StoredRun(
            run_id,
            rows[run_id]["comparison_id"],
            _result(
                rows[run_id],
                totals.get(run_id, []),
                phases.get(run_id, []),
                samples.get(run_id, []),
                findings.get(run_id, []),
            ),
        )
        for run_id in ids
        if run_id in rows
    ]


def _result(
    row: Row, total: Sequence[Row], phases: Sequence[Row], samples: Sequence[Row], findings: Sequence[Row]
) -> RunResult:
    return RunResult(
        target=row["api_name"],
        workload=row["workload"],
        language=row["language"],
        protocol=row["protocol"],
        mode=row["test_mode"],
        payload=row["payload_size"],
        engine=row["engine"],
        engine_version=row["engine_version"],
        settings=row["settings"],
        started_at=row["started_at"],
        finished_at=row["finished_at"],
        status=Status(row["status"]),
        failure=row["failure"],
        start_to_healthy_s=row["start_to_healthy_s"],
        phases=[_phase(phase) for phase in phases],
        total=_measured(total[0]) if total else None,
        samples=[
            Sample(
                _unix_ns(sample["sampled_at"]),
                sample["role"],
                sample["cpu_s"],
                sample["memory_bytes"],
                sample["pss_bytes"],
            )
            for sample in samples
        ],
        findings=[Finding(each["kind"], each["severity"], each["message"], each["advice"]) for each in findings],
        environment=row["environment"],
        audit=row["audit"],
        ceilings=row["ceilings"],
        stream_file=None if row["stream_file"] is None else Path(row["stream_file"]),
        contender=row["contender"],
        factors=row["factors"],
        round=row["round"],
        timeline=[Second(*second) for second in row["timeline"]],
        warm_up=row["warm_up"],
        database_activity=row["database_activity"],
        machine_state=row["machine_state"],
    )


def _phase(row: Row) -> PhaseResult:
    begin_ns = _unix_ns(row["started_at"])
    return PhaseResult(
        number=row["phase_number"],
        name=row["phase_name"],
        virtual_users=row["virtual_users"],
        begin_ns=begin_ns,
        end_ns=begin_ns + round(row["duration_s"] * 1e9),
        measured=_measured(row),
        arrival_rate_per_s=row["arrival_rate_per_s"],
    )


def _measured(row: Row) -> Measured:
    return Measured(
        duration_s=row["duration_s"],
        requests=row["total_requests"],
        ok=row["ok_requests"],
        failed=row["failed_requests"],
        operations=row["operations"],
        unsent=row["unsent"],
        errors=row["errors"],
        bytes_sent=row["bytes_sent"],
        bytes_received=row["bytes_received"],
        latency=_latency(row),
        histogram=row["histogram"],
        costs={role: Cost(**cost) for role, cost in row["costs"].items()},
    )


def _latency(row: Row) -> Latency:
    if row["latency_count"] is None:
        return histograms.summarise(histograms.merge([row["histogram"]]))
    return Latency(
        count=row["latency_count"],
        mean_ms=row["latency_mean_ms"],
        min_ms=row["latency_min_ms"],
        max_ms=row["latency_max_ms"],
        percentiles_ms={
            50.0: row["latency_p50_ms"],
            90.0: row["latency_p90_ms"],
            95.0: row["latency_p95_ms"],
            99.0: row["latency_p99_ms"],
            99.9: row["latency_p999_ms"],
        },
    )


def _grouped(connection: "psycopg.Connection[Any]", statement: str, ids: Sequence[int]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = {}
    for row in _all(connection, statement, [list(ids)]):
        grouped.setdefault(row["test_run_id"], []).append(row)
    return grouped


def _one(connection: "psycopg.Connection[Any]", statement: str, values: Sequence[Any]) -> Row | None:
    rows = _all(connection, statement, values)
    return rows[0] if rows else None


def _all(connection: "psycopg.Connection[Any]", statement: str, values: Sequence[Any]) -> list[Row]:
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement, values).fetchall()


def _unix_ns(moment: datetime) -> int:
    # In whole numbers: a double of seconds is off by a quarter of a microsecond.
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000

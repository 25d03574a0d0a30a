"""Writes runs into the metrics database."""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import DatabaseUnreachableError, Server

# Whoever only lists what is stored does not wait for what runs are made of.
if TYPE_CHECKING:
    from bakeoff.results.document import Origin
    from bakeoff.results.run import Measured, RunResult

_MIGRATIONS = Path(__file__).with_name("migrations")

_UNFINISHED = """
WITH own AS (
    SELECT id, started_at, request, status IN ('running', 'interrupted') AS cut_short
    FROM comparisons WHERE request ->> 'machine' = %(machine)s
)
SELECT id, started_at, request, cut_short FROM own
WHERE id IN ((SELECT max(id) FROM own), (SELECT max(id) FROM own WHERE cut_short))
ORDER BY id DESC
"""
# A run that came to its end and was not answered counts for nothing: its turn is left.
_DONE = """
SELECT run.contender, run.round
FROM test_runs AS run
JOIN comparisons AS comparison ON comparison.id = run.comparison_id AND comparison.test_mode = run.test_mode
JOIN performance_metrics AS total ON total.test_run_id = run.id AND total.ok_requests > 0
WHERE run.comparison_id = %s AND run.status = 'completed'
"""


@dataclass(frozen=True)
class Unfinished:
    """A comparison that may go on: what was asked for, and the turns (contender's key, round) that are done.

    `cut_short`: it was interrupted, or died; else it came to its end, and turns are left only where runs failed.
    """

    id: int
    started_at: datetime
    request: Mapping[str, Any]
    done: frozenset[tuple[str, int]]
    cut_short: bool = True


class MetricsStore:
    """Stores each run in one transaction as it ends, so that a crash loses one run at most."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def server(self) -> Server:
        """The database that runs are stored in."""
        return self._server

    def migrate(self) -> None:
        """Brings the schema up to date."""
        if self._is_current():
            return
        from yoyo import get_backend, read_migrations

        backend = get_backend(self._server.url.replace("postgresql://", "postgresql+psycopg://", 1))
        migrations = read_migrations(str(_MIGRATIONS))
        with backend.lock():
            backend.apply_migrations(backend.to_apply(migrations))

    def _is_current(self) -> bool:
        """Whether every migration has been applied. Asked in plain SQL: the library alone takes longer to load."""
        named = {path.stem for path in _MIGRATIONS.glob("*.sql") if not path.stem.endswith(".rollback")}
        with self._server.connect() as connection:
            known = connection.execute("SELECT to_regclass('_yoyo_migration') IS NOT NULL").fetchone()
            if known != (True,):
                return False
            applied = connection.execute("SELECT migration_id FROM _yoyo_migration").fetchall()
        return named <= {name for (name,) in applied}

    def begin_comparison(self, origin: "Origin", request: Mapping[str, Any]) -> int:
        """Notes that an invocation has begun; returns its id. `request` is what a resumed one begins from."""
        row = self._insert(
            "comparisons",
            {
                "started_at": origin.started_at,
                "workload": origin.workload,
                "test_mode": origin.mode,
                "command": origin.command,
                "status": "running",
                "name": origin.name,
                "rounds": origin.rounds,
                "request": Jsonb(dict(request)),
            },
        )
        assert row is not None
        return row

    def end_comparison(
        self, comparison_id: int, status: str, not_measured: Mapping[str, str], refused: Collection[str] = ()
    ) -> None:
        """Notes how the invocation ended, what was not measured for which reason, and what of it could have been."""
        with self._connected() as connection:
            connection.execute(
                "UPDATE comparisons SET finished_at = now(), status = %s, not_measured = %s, refused = %s"
                " WHERE id = %s",
                [status, Jsonb(dict(not_measured)), sorted(refused), comparison_id],
            )

    def unfinished_comparisons(self, machine: str) -> list[Unfinished]:
        """The newest comparison of a machine, and the newest that was cut short there; one of them may be both."""
        with self._connected() as connection:
            found = connection.execute(_UNFINISHED, {"machine": machine}).fetchall()
            return [
                Unfinished(
                    id=comparison_id,
                    started_at=started_at,
                    request={name: value for name, value in request.items() if name != "machine"},
                    done=frozenset(connection.execute(_DONE, [comparison_id]).fetchall()),
                    cut_short=cut_short,
                )
                for comparison_id, started_at, request, cut_short in found
            ]

    def resume_comparison(self, comparison_id: int) -> None:
        """Notes that work goes on. Runs that were cut short are made again, and so go; their files stay."""
        with self._connected() as connection:
            connection.execute("UPDATE comparisons SET status = 'running' WHERE id = %s", [comparison_id])
            connection.execute(
                "DELETE FROM test_runs WHERE comparison_id = %s AND status = 'interrupted'", [comparison_id]
            )

    def add_run(self, comparison_id: int, run: "RunResult") -> int:
        """Stores a run with its phases, samples and findings; returns its id."""
        try:
            with self._server.connect() as connection, connection.transaction():
                return insert_run(connection, comparison_id, run)
        except psycopg.Error as error:
            raise BakeoffError(
                f"The run of {run.target} could not be stored in {self._server.shown_url}: "
                f"{' '.join(str(error).split())}. Its files lie in results/{run.target}/."
            ) from error

    @contextlib.contextmanager
    def _connected(self) -> Iterator["psycopg.Connection[Any]"]:
        """A connection that may break off at any moment."""
        try:
            with self._server.connect() as connection:
                yield connection
        except psycopg.OperationalError as error:
            raise DatabaseUnreachableError(
                f"The connection to the database {self._server.shown_url} broke off: {' '.join(str(error).split())}."
            ) from error

    def _insert(self, table: str, values: Mapping[str, Any]) -> int | None:
        with self._connected() as connection:
            return _insert(connection, table, values, returning=True)


def insert_run(connection: "psycopg.Connection[Any]", comparison_id: int, run: "RunResult") -> int:
    """Adds the rows of a run; returns its id. The caller's transaction makes them appear whole or not at all."""
    run_id = _insert(
        connection,
        "test_runs",
        {
            "comparison_id": comparison_id,
            "api_name": run.target,
            "workload": run.workload,
            "language": run.language,
            "protocol": run.protocol,
            "test_mode": run.mode,
            "payload_size": run.payload,
            "engine": run.engine,
            "engine_version": run.engine_version,
            "settings": Jsonb(dict(run.settings)),
            "environment": Jsonb(dict(run.environment)),
            "status": run.status.value,
            "failure": run.failure,
            "started_at": run.started_at,
            "finished_at": run.finished_at,
            "start_to_healthy_s": run.start_to_healthy_s,
            "audit": _json(run.audit),
            "ceilings": Jsonb(dict(run.ceilings)),
            "stream_file": None if run.stream_file is None else str(run.stream_file),
            "contender": run.contender or run.target,
            "factors": Jsonb(dict(run.factors)),
            "round": run.round,
            "warm_up": _json(run.warm_up),
            "database_activity": _json(run.database_activity),
            "machine_state": _json(run.machine_state),
            "timeline": Jsonb([astuple(second) for second in run.timeline]),
        },
        returning=True,
    )
    assert run_id is not None
    if run.total is not None:
        _insert(connection, "performance_metrics", {"test_run_id": run_id, **_measured_columns(run.total)})
    for phase in run.phases:
        identity = {
            "test_run_id": run_id,
            "phase_number": phase.number,
            "phase_name": phase.name,
            "virtual_users": phase.virtual_users,
            "arrival_rate_per_s": phase.arrival_rate_per_s,
            "started_at": datetime.fromtimestamp(phase.begin_ns / 1e9, UTC),
        }
        _insert(connection, "test_phases", {**identity, **_measured_columns(phase.measured)})
    with connection.cursor().copy(
        "COPY resource_metrics (test_run_id, sampled_at, role, cpu_s, memory_bytes, pss_bytes) FROM STDIN"
    ) as rows:
        for sample in run.samples:
            sampled_at = datetime.fromtimestamp(sample.time_unix_ns / 1e9, UTC)
            rows.write_row((run_id, sampled_at, sample.role, sample.cpu_s, sample.memory_bytes, sample.pss_bytes))
    for finding in run.findings:
        _insert(connection, "findings", {"test_run_id": run_id, **asdict(finding)})
    return run_id


def _json(value: Mapping[str, Any] | None) -> Jsonb | None:
    return None if value is None else Jsonb(dict(value))


def _measured_columns(measured: "Measured") -> dict[str, Any]:
    percentiles = measured.latency.percentiles_ms
    return {
        "duration_s": measured.duration_s,
        "total_requests": measured.requests,
        "ok_requests": measured.ok,
        "failed_requests": measured.failed,
        "operations": measured.operations,
        "unsent": measured.unsent,
        "throughput_per_s": measured.throughput_per_s,
        "error_rate": measured.error_rate,
        "errors": Jsonb(dict(measured.errors)),
        "bytes_sent": measured.bytes_sent,
        "bytes_received": measured.bytes_received,
        "latency_count": measured.latency.count,
        "latency_mean_ms": measured.latency.mean_ms,
        "latency_min_ms": measured.latency.min_ms,
        "latency_max_ms": measured.latency.max_ms,
        "latency_p50_ms": percentiles[50.0],
        "latency_p90_ms": percentiles[90.0],
        "latency_p95_ms": percentiles[95.0],
        "latency_p99_ms": percentiles[99.0],
        "latency_p999_ms": percentiles[99.9],
        "histogram": measured.histogram,
        "costs": Jsonb({role: asdict(cost) for role, cost in measured.costs.items()}),
    }


def _insert(
    connection: "psycopg.Connection[Any]", table: str, values: Mapping[str, Any], *, returning: bool = False
) -> int | None:
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(sql.Identifier(column) for column in values),
        sql.SQL(", ").join(sql.Placeholder() * len(values)),
    )
    if not returning:
        connection.execute(statement, list(values.values()))
        return None
    row = connection.execute(statement + sql.SQL(" RETURNING id"), list(values.values())).fetchone()
    return int(row[0]) if row else None

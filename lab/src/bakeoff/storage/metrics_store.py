"""Writes runs into the metrics database."""

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import DatabaseUnreachableError, Server
from bakeoff.project import COMMAND

# Imported late: listing what is stored does not need what runs are made of.
if TYPE_CHECKING:
    from psycopg.rows import TupleRow

    from bakeoff.results.document import Origin
    from bakeoff.results.run import RunResult
    from bakeoff.storage.rows import Row

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
    request: Mapping[str, Json]
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
        """Creates the schema, or brings it up to date. A database of a version that this one does not know is refused.

        Asked in plain SQL: the library alone takes longer to load.
        """
        known = {path.stem for path in _MIGRATIONS.glob("*.sql")}
        applied = set()
        with self._server.connect() as connection:
            if connection.execute("SELECT to_regclass('_yoyo_migration')").fetchone() != (None,):
                found = connection.execute("SELECT migration_id FROM _yoyo_migration").fetchall()
                applied = {name for (name,) in found}
        if applied - known:
            again = f"delete {self._server.data_directory()}" if self._server.embedded else "name an empty database"
            raise BakeoffError(
                f"The metrics database {self._server.shown_url} is of another version of bakeoff. Read its runs with "
                f"that version; to start again, {again}."
            )
        if applied != known:
            from yoyo import get_backend, read_migrations

            backend = get_backend(self._server.url.replace("postgresql://", "postgresql+psycopg://", 1))
            with backend.lock():
                backend.apply_migrations(backend.to_apply(read_migrations(str(_MIGRATIONS))))

    def begin_comparison(self, origin: "Origin", request: Mapping[str, Json]) -> int:
        """Notes that an invocation has begun; returns its id. `request` is what a resumed one begins from."""
        with self._connected() as connection:
            return insert_comparison(connection, origin, {"status": "running", "request": Jsonb(dict(request))})

    def change_request(self, comparison_id: int, request: Mapping[str, Json], rounds: int) -> None:
        """Notes what has been found out since the invocation began, so that a resumed one begins from it."""
        with self._connected() as connection:
            connection.execute(
                "UPDATE comparisons SET request = %s, rounds = %s WHERE id = %s",
                [Jsonb(dict(request)), rounds, comparison_id],
            )

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

    def change_fastest(self, comparison_id: int, contender: str | None, throughput_per_s: float | None) -> None:
        """Stores the fastest contender and its throughput; None: the judgement names none."""
        with self._connected() as connection:
            connection.execute(
                "UPDATE comparisons SET fastest = %s, fastest_per_s = %s WHERE id = %s",
                [contender, throughput_per_s, comparison_id],
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
            connection.execute(
                "UPDATE comparisons SET status = 'running', fastest = NULL, fastest_per_s = NULL WHERE id = %s",
                [comparison_id],
            )
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
                f"{' '.join(str(error).split())}. Its files are stored: {COMMAND} runs import reads them."
            ) from error

    @contextlib.contextmanager
    def _connected(self) -> Iterator["psycopg.Connection[TupleRow]"]:
        """A connection that may break off at any moment."""
        try:
            with self._server.connect() as connection:
                yield connection
        except psycopg.OperationalError as error:
            raise DatabaseUnreachableError(
                f"The connection to the database {self._server.shown_url} was lost: {' '.join(str(error).split())}."
            ) from error


def insert_comparison(connection: "psycopg.Connection[TupleRow]", origin: "Origin", others: "Row") -> int:
    """Adds a comparison with these further columns; returns its id."""
    row = {**vars(origin), **others}
    return _inserted(connection, "comparisons", {"test_mode": row.pop("mode"), **row})


def insert_run(connection: "psycopg.Connection[TupleRow]", comparison_id: int, run: "RunResult") -> int:
    """Adds the rows of a run; returns its id. The caller's transaction makes them appear whole or not at all."""
    from bakeoff.storage import rows

    run_id = _inserted(connection, "test_runs", {"comparison_id": comparison_id, **rows.run_row(run)})
    belonging = {"test_run_id": run_id}

    def insert(table: str, row: "Row") -> None:
        whole = {**belonging, **row}
        connection.execute(rows.insertion(table, whole), list(whole.values()))

    if run.total is not None:
        insert("performance_metrics", rows.measured_row(run.total))
    for phase in run.phases:
        insert("test_phases", rows.phase_row(phase))
    copy = f"COPY resource_metrics (test_run_id, {', '.join(rows.SAMPLE_COLUMNS)}) FROM STDIN"
    with connection.cursor().copy(copy.encode()) as samples:
        for sample in run.samples:
            samples.write_row((run_id, *rows.sample_row(sample)))
    for finding in run.findings:
        insert("findings", rows.finding_row(finding))
    return run_id


def _inserted(connection: "psycopg.Connection[TupleRow]", table: str, row: "Row") -> int:
    from bakeoff.storage.rows import insertion

    statement = insertion(table, row) + sql.SQL(" RETURNING id")
    found = connection.execute(statement, list(row.values())).fetchone()
    assert found is not None
    return int(found[0])

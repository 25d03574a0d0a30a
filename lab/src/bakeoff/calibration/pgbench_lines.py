"""Rates of PostgreSQL alone, without any API: the workload's own statements, driven by pgbench."""

import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.processes import children
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.statements import columns, text_array, text_literal, upsert, upsert_one
from bakeoff.workload.stored_effects import StoredRow, rows_of

# Half of the statements hit one of this many keys of their client's own, as half of a workload's events do.
_REUSED_KEYS = 1000
_DISTINCT_ROWS = 32
# Every connection prepares each script once: of many a short draw would measure that.
_PLAIN_ROWS = 8


@dataclass(frozen=True)
class ReferenceBench:
    """The server, the workload and the program that measure the lines."""

    workload: Workload
    server: Server
    pgbench: Path
    folder: Path


def rows_per_s(bench: ReferenceBench, rows: int, connections: int, seconds: float) -> float:
    """Rows a second of statements with so many rows, each a transaction, half of the rows new."""
    if rows == 1:
        return _one_row_each(bench, connections, seconds)
    stored = _rows(bench.workload, rows)
    scripts = [_statement(bench.workload, stored, reused) for reused in (False, True)]
    return _line(bench, rows, scripts, connections, seconds)


def _one_row_each(bench: ReferenceBench, connections: int, seconds: float) -> float:
    """Rows a second of an upsert and transaction for each event, by the plainest statement that the workload has.

    Documents are parameters, so that PostgreSQL reads each as it reads those of a target.
    """
    if bench.workload.sql("upsert_one") is None:
        rows = _rows(bench.workload, _DISTINCT_ROWS)
        scripts = [_statement(bench.workload, [row], reused) for row in rows for reused in (False, True)]
        return _line(bench, 1, scripts, connections, seconds)
    rows = _rows(bench.workload, _PLAIN_ROWS)
    scripts = [_plain(bench.workload, row, place, reused) for place, row in enumerate(rows) for reused in (False, True)]
    documents = {f"document{place}": row.document for place, row in enumerate(rows)}
    return _line(bench, 1, scripts, connections, seconds, documents)


def _rows(workload: Workload, count: int) -> list[StoredRow]:
    load = Load("reference", "http", "127.0.0.1", 1, "calibrate", phases=[])
    return rows_of(compile_plan(workload, load), count)


def _statement(workload: Workload, rows: Sequence[StoredRow], reused: bool) -> str:
    """A pgbench script: the workload's upsert with arrays of these rows in the place of its parameters."""
    arrays = [text_array(column) for column in columns(rows)]
    # The last part of a key distinguishes entities: it is made new, or one of the client's own, for each statement.
    arrays[-2] = f"ARRAY(SELECT part || '-' || :client_id || '-' || :n FROM unnest({arrays[-2]}) AS part)"  # noqa: S608
    return f"\\set n random(1, {_highest(len(rows), reused)})\n{upsert(workload, arrays)};\n"


def _plain(workload: Workload, row: StoredRow, place: int, reused: bool) -> str:
    """A pgbench script: the workload's statement for one row, its document one of pgbench's variables."""
    *parts, last = [text_literal(part) for part in row.key]
    values = [*parts, f"{last} || '-' || :client_id || '-' || :n", f":document{place}"]
    return f"\\set n random(1, {_highest(1, reused)})\n{upsert_one(workload, values)};\n"


def _highest(rows: int, reused: bool) -> int:
    """Of the numbers that distinguish keys: few are hit again and again, of many each is new."""
    return _REUSED_KEYS // rows + 1 if reused else 9_000_000_000_000_000_000


def _line(
    bench: ReferenceBench,
    rows: int,
    scripts: Sequence[str],
    connections: int,
    seconds: float,
    variables: Mapping[str, str] | None = None,
) -> float:
    """Rows stored durably each second, each statement a transaction; 0 where none was finished."""
    bench.folder.mkdir(parents=True, exist_ok=True)
    files = [bench.folder / f"statement-{number}.sql" for number in range(len(scripts))]
    for file, script in zip(files, scripts, strict=True):
        file.write_text(script, "utf-8")
    command = [
        str(bench.pgbench),
        "--no-vacuum",
        "--protocol=prepared",
        f"--client={connections}",
        "--jobs=2",
        f"--time={max(1, round(seconds))}",
        "--random-seed=1",
        *(f"--define={variable}={value}" for variable, value in (variables or {}).items()),
        *(f"--file={file}" for file in files),
    ]
    with bench.server.for_programs(bench.folder / "pgpass") as (connection, environment):
        log = bench.folder / "pgbench.log"
        process = children.start([*command, connection], stdout=subprocess.PIPE, log=log, environment=environment)
        try:
            assert process.stdout is not None
            output, status = process.stdout.read().decode(), process.wait()
        finally:
            children.stop(process, signal.SIGTERM, timeout_s=5)
    found = re.search(r"^tps = ([0-9.]+)", output, re.MULTILINE)
    if status == 0 and found is None:
        # So many connections may finish none in a short time.
        return 0.0
    if found is None or status != 0:
        raise BakeoffError(
            f"pgbench could not measure the reference line (status {status}):\n{children.last_lines(log)}"
        )
    return float(found.group(1)) * rows

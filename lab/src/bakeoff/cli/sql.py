"""`bakeoff sql`."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import typer
from psycopg.conninfo import conninfo_to_dict

from bakeoff.cli.runs_output import say, stored_history
from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.databases import application_database, running_database
from bakeoff.postgres.server import Server
from bakeoff.project import Project, find_project
from bakeoff.reporting.numbers import NOTHING
from bakeoff.running.lock import only_lab
from bakeoff.text.table import Table, show

# What psql reads where its command line says nothing: a password in a command line is seen by every user.
_VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
}


def open_database(query: str | None, metrics: bool) -> None:
    """Runs a query, or opens psql; where there is no psql, statements come from standard input."""
    project = find_project()
    with _metrics(project) if metrics else _application(project) as server:
        psql = _psql(project)
        if psql is not None:
            status = _run_psql(psql, server, query)
            if status:
                raise typer.Exit(status)
        else:
            run_statements(server, sys.stdin.read() if query is None else query)


@contextmanager
def _metrics(project: Project) -> Iterator[Server]:
    """The metrics database, its tables up to date."""
    with stored_history(project) as store:
        yield store.server


@contextmanager
def _application(project: Project) -> Iterator[Server]:
    """The database of `up`, or of a run, where one is running; otherwise what the last run stored."""
    running = None if os.environ.get("DATABASE_URL") else running_database(project)
    if running is not None:
        say(f"database of ./bakeoff {running.used_by}")
        yield running.server
        return
    with only_lab(project.state / "lock"), application_database(project) as server:
        yield server


def _psql(project: Project) -> Path | None:
    try:
        program = find_installation(project).programs / "psql"
    except BakeoffError:
        # A machine for which there are no programs; the databases are the user's own.
        return None
    return program if program.is_file() else None


def _run_psql(psql: Path, server: Server, query: str | None) -> int:
    parameters = conninfo_to_dict(server.url)
    known = {_VARIABLES[name]: str(value) for name, value in parameters.items() if name in _VARIABLES}
    command = [str(psql), "--no-psqlrc", "--set=ON_ERROR_STOP=1"]
    command += [] if query is None else [f"--command={query}"]
    # Ctrl-C cancels a query of psql's and does not end this command.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.run(command, env={**os.environ, **known}, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def run_statements(server: Server, statements: str) -> None:
    """Runs SQL and prints the rows of each statement."""
    try:
        with server.connect() as connection:
            cursor = connection.execute(statements.encode())
            while True:
                _print(cursor)
                if not cursor.nextset():
                    break
    except psycopg.Error as error:
        raise BakeoffError(f"PostgreSQL refuses it: {str(error).strip()}") from error


def _print(cursor: psycopg.Cursor[tuple[object, ...]]) -> None:
    if cursor.description is None:
        typer.echo(cursor.statusmessage or "")
        return
    headings = [column.name for column in cursor.description]
    rows = [[NOTHING if value is None else str(value) for value in row] for row in cursor.fetchall()]
    show(Table("", headings, rows, left=len(headings)) if rows else f"{'  '.join(headings)}\n(0 rows)")

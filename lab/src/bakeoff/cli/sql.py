"""`bakeoff sql`."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bakeoff.cli.output import say
from bakeoff.cli.stored_history import stored_history
from bakeoff.errors import BakeoffError
from bakeoff.project import COMMAND, Project, find_project
from bakeoff.reporting.numbers import NOTHING
from bakeoff.text.table import Table, show

if TYPE_CHECKING:
    from psycopg import Cursor

    from bakeoff.postgres.server import Server


def sql(
    query: Annotated[str | None, typer.Argument(help="SQL to run. [open psql]")] = None,
    metrics: Annotated[
        bool, typer.Option("--metrics", help="Use the metrics database instead of the application's.")
    ] = False,
) -> None:
    """Open psql on a database, or run a query there. It is the application's, or that of the metrics."""
    project = find_project()
    with stored_history() if metrics else _application(project) as server:
        psql = _psql(project)
        if psql is not None:
            raise typer.Exit(_run_psql(psql, server, query))
        # Without psql, statements come from standard input.
        run_statements(server, sys.stdin.read() if query is None else query)


@contextmanager
def _application(project: Project) -> "Iterator[Server]":
    """The database of `up`, or of a run, where one is running; otherwise what the last run stored."""
    from bakeoff.postgres.databases import application_database, last_choice, running_database
    from bakeoff.running.lock import only_lab

    running = None if os.environ.get("DATABASE_URL") else running_database(project)
    if running is not None:
        used_by, server = running
        say(f"database of {COMMAND} {used_by}")
        yield server
        return
    with only_lab(project.state / "lock"), application_database(project, last_choice(project)) as server:
        yield server


def _psql(project: Project) -> Path | None:
    """An installed psql, or the packaged one, which cannot edit lines; None where there is neither."""
    from bakeoff.postgres.binaries import find_installation

    installed = shutil.which("psql")
    if installed is not None:
        return Path(installed)
    try:
        program = find_installation(project).programs / "psql"
    except BakeoffError:
        # A machine for which there are no programs; the databases are the user's own.
        return None
    return program if program.is_file() else None


def _run_psql(psql: Path, server: "Server", query: str | None) -> int:
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    parameters = conninfo_to_dict(server.url)
    # Every user sees a password in a command line.
    password = str(parameters.pop("password", ""))
    command = [str(psql), "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--dbname", make_conninfo("", **parameters)]
    command += [] if query is None else [f"--command={query}"]
    # Ctrl-C cancels a query of psql's and does not end this command.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.run(command, env={**os.environ, "PGPASSWORD": password}, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def run_statements(server: "Server", statements: str) -> None:
    """Runs SQL and prints the rows of each statement."""
    from psycopg import Error

    try:
        with server.connect() as connection:
            cursor = connection.execute(statements.encode())
            while True:
                _print(cursor)
                if not cursor.nextset():
                    break
    except Error as error:
        raise BakeoffError(f"PostgreSQL refuses it: {str(error).strip()}") from error


def _print(cursor: "Cursor[tuple[object, ...]]") -> None:
    if cursor.description is None:
        typer.echo(cursor.statusmessage or "")
        return
    headings = [column.name for column in cursor.description]
    rows = [[NOTHING if value is None else str(value) for value in row] for row in cursor.fetchall()]
    show(Table("", headings, rows, left=len(headings)) if rows else f"{'  '.join(headings)}\n(0 rows)")

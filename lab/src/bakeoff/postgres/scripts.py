"""Runs SQL files; an error names the file, and the line or the statement."""

import select
from collections.abc import Iterator
from pathlib import Path

from psycopg.pq import DiagnosticField, ExecStatus
from psycopg.pq.abc import PGconn, PGresult

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server

_DONE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK, ExecStatus.EMPTY_QUERY)


def run_script(server: Server, file: Path, advice: str) -> None:
    """Runs the statements of a file as one simple query, and so as one transaction.

    Raises BakeoffError with the place of the statement that fails, and the advice.
    """
    text = file.read_text("utf-8")
    with server.connect() as connection:
        # Only libpq's own calls show how many statements were done before one failed.
        for done, result in enumerate(_results(connection.pgconn, text)):
            if result.status not in _DONE:
                raise BakeoffError(f"{file}, {_place(result, text, done)}: {_reason(result)} {advice}")


def _results(connection: PGconn, text: str) -> Iterator[PGresult]:
    """Those of each statement, as they come. Waiting leaves other threads running, of which one may be a relay."""
    connection.send_query(text.encode())
    while connection.flush():
        select.select([], [connection.socket], [])
    while True:
        while connection.is_busy():
            select.select([connection.socket], [], [])
            connection.consume_input()
        result = connection.get_result()
        if result is None:
            return
        yield result


def _place(result: PGresult, text: str, done: int) -> str:
    """The line where PostgreSQL names a character; else which statement it was, from 1."""
    position = result.error_field(DiagnosticField.STATEMENT_POSITION)
    if position is None:
        return f"statement {done + 1}"
    return f"line {text.count(chr(10), 0, int(position) - 1) + 1}"


def _reason(result: PGresult) -> str:
    if result.status in (ExecStatus.COPY_IN, ExecStatus.COPY_OUT, ExecStatus.COPY_BOTH):
        return "COPY from or to the client is not possible here."
    fields = (DiagnosticField.MESSAGE_PRIMARY, DiagnosticField.MESSAGE_DETAIL, DiagnosticField.MESSAGE_HINT)
    parts = [part.decode("utf-8", "replace") for each in fields if (part := result.error_field(each)) is not None]
    return " ".join(part if part.endswith(".") else f"{part}." for part in parts)

"""Extensions of PostgreSQL that tables need: whether a server has one, making it, and naming one that it lacks."""

import contextlib
import re
from collections.abc import Iterator

import psycopg
from psycopg import sql

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server

ELSEWHERE = (
    'Use a PostgreSQL that has it: an installed one (postgres = "system" in storage of the target), a container '
    "image (BAKEOFF_POSTGRES_IMAGE and --in docker), or a server of your own (DATABASE_URL)."
)

_UNAVAILABLE = re.compile(r'extension "([^"]+)" is not available')


def is_available(server: Server, extension: str) -> bool:
    """Whether a running server has it to offer."""
    with server.connect() as connection:
        found = connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = %s", [extension]).fetchone()
    return found is not None


def create_extension(server: Server, extension: str) -> None:
    """Makes it in the server's database, where it is not there already."""
    with server.connect() as connection:
        if connection.execute("SELECT 1 FROM pg_extension WHERE extname = %s", [extension]).fetchone() is not None:
            return
        try:
            connection.execute(sql.SQL("CREATE EXTENSION {} CASCADE").format(sql.Identifier(extension)))
        except psycopg.Error as error:
            raise BakeoffError(
                f"The extension {extension} cannot be created in {server.shown_url}: {' '.join(str(error).split())}. "
                "Create it there as a superuser, or leave out --overlay."
            ) from error


@contextlib.contextmanager
def naming_missing_extension(server: Server | None) -> Iterator[None]:
    """Raises an error of the block as one that names the extension that a statement asked the server for in vain.

    Such statements are the lab's, which the error shows, or of a target's own migrations, which the server's log shows.
    """
    log = None if server is None else server.log
    before = 0 if log is None else log.stat().st_size
    try:
        yield
    except (BakeoffError, psycopg.Error) as error:
        logged = b"" if log is None else log.read_bytes()[before:]
        found = _UNAVAILABLE.search(f"{error}\n{logged.decode('utf-8', 'replace')}")
        if found is None:
            raise
        raise BakeoffError(f"PostgreSQL does not have the extension {found[1]}. {ELSEWHERE}\n{error}") from error

"""Extensions of PostgreSQL that tables need: whether a server has one, and making it."""

import psycopg
from psycopg import sql

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server


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

"""A PostgreSQL server as the lab uses it, embedded or the user's own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from bakeoff.errors import BakeoffError

if TYPE_CHECKING:
    from psycopg import Connection

_OLDEST_MAJOR_VERSION = 15
_MARKER = "bakeoff_may_drop_tables_here"


class DatabaseUnreachableError(BakeoffError):
    """No connection can be made: the server is away, refuses, or its URL is wrong."""


@dataclass(frozen=True)
class Server:
    """One database of one server. `pid` is the server's process where the lab can see it, for sampling."""

    url: str
    pid: int | None
    embedded: bool

    @property
    def shown_url(self) -> str:
        """The URL without its password, for people."""
        return self.url_without_password()

    def url_without_password(self) -> str:
        parts = urlsplit(self.url)
        if parts.password is None:
            return self.url
        user, _, host = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{user.split(':')[0]}@{host}"))

    def in_database(self, name: str) -> "Server":
        """The same server, another database."""
        return Server(urlunsplit(urlsplit(self.url)._replace(path=f"/{name}")), self.pid, self.embedded)

    def connect(self) -> "Connection":
        """A connection that commits each statement."""
        import psycopg

        try:
            return psycopg.connect(self.url, autocommit=True, connect_timeout=5)
        except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
            raise DatabaseUnreachableError(
                f"The database {self.shown_url} cannot be reached: {' '.join(str(error).split())}. Start it, correct "
                "its URL, or unset the URL to use the embedded PostgreSQL."
            ) from error

    def execute_script(self, script: str) -> None:
        """Runs SQL statements of a reviewed file as one simple query."""
        with self.connect() as connection:
            connection.execute(script.encode())

    def version(self) -> str:
        """Like `18.4`."""
        with self.connect() as connection:
            return connection.info.parameter_status("server_version") or "unknown"

    def checkpoint(self) -> None:
        """Writes out what earlier runs left, so that this run does not pay for it; needs a privilege to be allowed."""
        import psycopg

        with self.connect() as connection:
            try:
                connection.execute("CHECKPOINT")
            except psycopg.errors.InsufficientPrivilege:
                # The user's own server: allowed from version 15 on by GRANT pg_checkpoint.
                return


def user_server(url: str, variable: str) -> Server:
    """A server of the user's own; refuses what the lab cannot use."""
    server = Server(url, None, embedded=False)
    version = server.version()
    if int(version.split(".")[0]) < _OLDEST_MAJOR_VERSION:
        raise BakeoffError(
            f"{variable} is PostgreSQL {version}; {_OLDEST_MAJOR_VERSION} or newer is needed. Upgrade it, or unset "
            f"{variable} to use the embedded PostgreSQL."
        )
    return server


def permit_reset(server: Server) -> None:
    """Runs drop the workload's tables: on a server of the user's own only in a database made for that.

    An empty database is taken and marked; one that holds tables without the mark is refused.
    """
    with server.connect() as connection:
        tables = connection.execute(
            "SELECT schemaname || '.' || tablename FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
        ).fetchall()
        names = [name for (name,) in tables]
        if f"public.{_MARKER}" in names:
            return
        if names:
            raise BakeoffError(
                f"The database {server.shown_url} contains tables that bakeoff did not create "
                f"({', '.join(names[:3])}), and a run drops tables. Set DATABASE_URL to an empty database, or allow "
                f"this one: CREATE TABLE {_MARKER} ();"
            )
        connection.execute(f"CREATE TABLE IF NOT EXISTS public.{_MARKER} ()")

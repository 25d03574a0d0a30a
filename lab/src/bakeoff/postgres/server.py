"""A PostgreSQL server as the lab uses it, embedded or the user's own."""

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from bakeoff.documents.whole_file import private_file
from bakeoff.errors import BakeoffError
from bakeoff.text.redaction import redacted, secrets_of

if TYPE_CHECKING:
    from psycopg import Connection

POSTGRESQL_PORT, LOOPBACK = 5432, "127.0.0.1"
_OLDEST_MAJOR_VERSION = 15
_SCHEMES = ("postgresql://", "postgres://")
_MARKER = "bakeoff_may_drop_tables_here"

_own_lock = threading.Lock()
# Connections of this process, with the addresses of their servers.
_own: "weakref.WeakKeyDictionary[Connection, str]" = weakref.WeakKeyDictionary()


class DatabaseUnreachableError(BakeoffError):
    """No connection can be made: the server is unavailable, refuses, or its URL is wrong."""


@dataclass(frozen=True)
class Server:
    """One database of one server. `pid` is the server's process where the lab can see it, for sampling.

    `embedded` is one that the lab starts from its environment or from an installation, with its `log`. `targets_url` is
    for targets, where they have their own role: the lab's may change the server's settings. `container` is the
    name of the one that the lab has started for it. `read_url` is that of a replica, for targets.
    """

    url: str
    pid: int | None
    embedded: bool
    targets_url: str | None = None
    container: str | None = None
    read_url: str | None = None
    log: Path | None = None

    @property
    def shown_url(self) -> str:
        """The URL without its password, for people."""
        return redacted(self.url)

    @property
    def as_targets(self) -> "Server":
        """The same, for the lab to do what targets do: what it makes belongs to their role."""
        return self if self.targets_url is None else replace(self, url=self.targets_url)

    @contextlib.contextmanager
    def for_programs(self, password_file: Path) -> Iterator[tuple[str, dict[str, str]]]:
        """A connection string without the password, and the environment that names a file with it while that lasts.

        Every user of the machine can read the command line of a program such as pgbench.
        """
        from psycopg.conninfo import conninfo_to_dict, make_conninfo

        parameters = conninfo_to_dict(self.url)
        password = str(parameters.pop("password", "")).replace("\\", r"\\").replace(":", r"\:")
        with private_file(password_file, f"*:*:*:*:{password}\n".encode()):
            # An empty PGPASSWORD does not count; one that is set would go before the file.
            yield make_conninfo("", **parameters), {"PGPASSFILE": str(password_file), "PGPASSWORD": ""}

    def in_database(self, name: str) -> "Server":
        """The same server, another database, for the lab and for targets."""

        def named(url: str | None) -> str | None:
            return None if url is None else _in_database(url, name)

        return replace(
            self,
            url=_in_database(self.url, name),
            targets_url=named(self.targets_url),
            read_url=named(self.read_url),
        )

    def connect(self) -> "Connection":
        """A connection that commits each statement."""
        import psycopg

        try:
            connection = psycopg.connect(self.url, autocommit=True, connect_timeout=5, application_name="bakeoff")
        except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
            # An invalid URL is quoted in part.
            reason = redacted(" ".join(str(error).split()), secrets_of(self.url))
            raise DatabaseUnreachableError(
                f"The database {self.shown_url} cannot be reached: {reason}. Start it, correct "
                "its URL, or unset the URL to use the embedded PostgreSQL."
            ) from error
        with _own_lock:
            _own[connection] = _address(self.url)
        return connection

    def data_directory(self) -> Path | None:
        """Where it keeps its data; None where it may not be asked."""
        import psycopg

        with self.connect() as connection:
            try:
                row = connection.execute("SHOW data_directory").fetchone()
            except psycopg.errors.InsufficientPrivilege:
                return None
        return None if row is None else Path(row[0])

    def execute_script(self, script: str) -> None:
        """Runs SQL statements of a reviewed file as one simple query."""
        with self.connect() as connection:
            connection.execute(script.encode())

    def version(self) -> str:
        """Like `18.4`."""
        return self._reported("server_version")

    def encoding(self) -> str:
        """The database's, like `UTF8`."""
        return self._reported("server_encoding")

    def _reported(self, name: str) -> str:
        with self.connect() as connection:
            return connection.info.parameter_status(name) or "unknown"

    def checkpoint(self) -> None:
        """Writes out what earlier runs left, so that this run does not pay for it; needs a privilege to be allowed."""
        import psycopg

        with self.connect() as connection:
            try:
                connection.execute("CHECKPOINT")
            except psycopg.errors.InsufficientPrivilege:
                # The user's own server: allowed from version 15 on by GRANT pg_checkpoint.
                return


def own_sessions(server: Server) -> list[int]:
    """The numbers of this lab's own sessions on a server; names would not do, since a target may have the same."""
    with _own_lock:
        connections = [each for each, address in _own.items() if address == _address(server.url)]
    return [each.info.backend_pid for each in connections if not each.closed]


def _address(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _in_database(url: str, name: str) -> str:
    parts = urlsplit(url)
    # A dbname there would go before the path; urlunsplit leaves out the // of a URL without a host.
    query = "&".join(each for each in parts.query.split("&") if each and not each.startswith("dbname="))
    return f"{parts.scheme}://{parts.netloc}/{quote(name, safe='')}" + (f"?{query}" if query else "")


def url_at(url: str, address: Callable[[str, int], tuple[str, int]]) -> str:
    """A URL of one TCP address with what `address` makes of that; another one as it is."""
    parts = urlsplit(url)
    if not parts.hostname or "," in parts.netloc:
        return url
    host, port = address(parts.hostname, parts.port or POSTGRESQL_PORT)
    user, at, _ = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user}{at}{host}:{port}"))


def at_port(url: str, port: int) -> str:
    """A URL of one TCP address with a port of this machine; another one as it is."""
    return url_at(url, lambda _host, _port: (LOOPBACK, port))


def user_server(url: str, variable: str) -> Server:
    """A server of the user's own; refuses what the lab cannot use."""
    if not url.startswith(_SCHEMES):
        raise BakeoffError(
            f"{variable} is not a URL: write it as postgresql://USER:PASSWORD@HOST:PORT/DATABASE, or for a Unix socket "
            "as postgresql:///DATABASE?host=/FOLDER."
        )
    server = Server(url, None, embedded=False)
    version = server.version()
    if int(version.split(".")[0]) < _OLDEST_MAJOR_VERSION:
        raise BakeoffError(
            f"{variable} is PostgreSQL {version}; {_OLDEST_MAJOR_VERSION} or newer is needed. Upgrade it, or unset "
            f"{variable} to use the embedded PostgreSQL."
        )
    encoding = server.encoding()
    if encoding != "UTF8":
        # Text would be stored and compared as other bytes than those that were sent, and arrive here undecoded.
        raise BakeoffError(
            f"The database of {variable} has the encoding {encoding}; UTF8 is needed. Name another one: "
            "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0;"
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

"""Databases that the lab makes on a server for a while: one that is filled once, and a copy of it for each run."""

import contextlib
import itertools
import secrets
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import psycopg
from psycopg import sql

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import DatabaseUnreachableError, Server

# The middle is the number of an advisory lock that the lab holds while it lives.
_NAME = "bakeoff_made_{lab}_{number}"
_LEFT_BEHIND = """
SELECT datname FROM pg_database
WHERE datname ~ '^bakeoff_made_[0-9]{1,9}_[0-9]+$' AND pg_has_role(datdba, 'MEMBER') AND NOT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = split_part(datname, '_', 3)::oid
)
"""
_SETTINGS = """
SELECT split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
FROM pg_db_role_setting, unnest(setconfig) AS setting
WHERE setrole = 0 AND setdatabase = (SELECT oid FROM pg_database WHERE datname = %s)
"""
_END_SESSIONS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND backend_type = 'client backend'
"""
_FIRST_VERSION_WITH_STRATEGIES = 150_000


class MadeDatabases:
    """The databases of one lab on one server. Those that a killed lab left there are dropped first."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._lab = secrets.randbelow(10**9)
        self._numbers = itertools.count(1)
        self._holder = server.connect()
        self._holder.execute("SELECT pg_advisory_lock(%s)", [self._lab])
        with server.connect() as connection:
            for (name,) in connection.execute(_LEFT_BEHIND).fetchall():
                _drop(connection, name)

    def close(self) -> None:
        """Lets other labs drop the databases that are left."""
        self._holder.close()

    @contextlib.contextmanager
    def made(self, template: Server | None = None) -> Iterator[Server]:
        """A database while the block lasts: an empty one, or a copy of one that was made here and sealed."""
        name = _NAME.format(lab=self._lab, number=next(self._numbers))
        try:
            self._create(name, template)
            if template is not None:
                self._copy_settings(_database_of(template), name)
            yield self._server.in_database(name)
        finally:
            # A server that is gone keeps it until the next lab finds it there.
            with contextlib.suppress(DatabaseUnreachableError), self._server.connect() as connection:
                _drop(connection, name)

    def _copy_settings(self, template: str, name: str) -> None:
        """Settings of a database are not copied with it, such as the search path that a migration has set."""
        with self._server.connect() as connection:
            for setting, value in connection.execute(_SETTINGS, [template]).fetchall():
                connection.execute("SELECT set_config(%s, %s, false)", [setting, value])
                statement = sql.SQL("ALTER DATABASE {} SET {} FROM CURRENT")
                connection.execute(statement.format(sql.Identifier(name), sql.Identifier(setting)))

    def seal(self, made: Server) -> None:
        """Ends what still uses a database and lets no session in, so that all copies of it are alike."""
        with made.connect() as connection:
            # Copies have the statistics and the visibility map too: no run begins with a vacuum.
            connection.execute("VACUUM (ANALYZE)")
        name = _database_of(made)
        with self._server.connect() as connection:
            statement = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(name))
            connection.execute(statement)
            connection.execute(_END_SESSIONS, [name])

    def _create(self, name: str, template: Server | None) -> None:
        with self._server.connect() as connection:
            parts: list[sql.Composable] = [sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))]
            if self._server.targets_url is not None:
                parts.append(sql.SQL("OWNER {}").format(sql.Identifier(_user_of(self._server.targets_url))))
            if template is None:
                parts.append(sql.SQL("ENCODING 'UTF8'"))
            else:
                parts.append(sql.SQL("TEMPLATE {}").format(sql.Identifier(_database_of(template))))
                # Writes pages once, and not to the log first; the checkpoint is due before a run anyway.
                if connection.info.server_version >= _FIRST_VERSION_WITH_STRATEGIES:
                    parts.append(sql.SQL("STRATEGY FILE_COPY"))
            try:
                connection.execute(sql.SQL(" ").join(parts))
            except psycopg.errors.InsufficientPrivilege as error:
                raise BakeoffError(
                    f"The role {connection.info.user} of {self._server.shown_url} may not create the database that "
                    f"each run gets. Allow it: ALTER ROLE {connection.info.user} CREATEDB; or unset DATABASE_URL to "
                    "use the embedded PostgreSQL."
                ) from error
            except psycopg.Error as error:
                raise BakeoffError(
                    f"A run's database could not be created on {self._server.shown_url}: {error}"
                ) from error


def _drop(connection: "psycopg.Connection", name: str) -> None:
    """Drops a database where it exists, with the sessions in it."""
    try:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
    except psycopg.Error as error:
        raise BakeoffError(
            f"The database {name}, which the lab made, could not be dropped: {error}. Drop it."
        ) from error


def _database_of(server: Server) -> str:
    return unquote(urlsplit(server.url).path.lstrip("/"))


def _user_of(url: str) -> str:
    return unquote(urlsplit(url).username or "")

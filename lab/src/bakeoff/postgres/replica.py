"""A streaming replica of an embedded server, for targets that read from one.

The contract's reads show every change that was acknowledged before. So commits of targets wait until the replica has
applied them (`synchronous_commit = remote_apply`), and what a replica costs is in what a write costs.
"""

import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from bakeoff.errors import BakeoffError
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.failure_cause import cause_in
from bakeoff.postgres.server import Server, url_at
from bakeoff.processes import children, ports

NAME = "replica"

_LOOPBACK = "127.0.0.1"
_STREAMS_WITHIN_S = 30.0
_LOOK_EVERY_S = 0.02
# A replica that lost its way looks for the server again at once; vacuum spares rows that its queries may need, so that
# no change waits for a query.
_SETTINGS = ("wal_retrieve_retry_interval=100ms", "hot_standby_feedback=on")
_IN_STEP = (f"synchronous_standby_names = '{NAME}'", "synchronous_commit = remote_apply")
_IS_IN_STEP = "SELECT 1 FROM pg_stat_replication WHERE application_name = %s AND sync_state IN ('sync', 'quorum')"


class Replica:
    """A replica while the `with` block lasts. `server` is the one it follows, whose targets get its address too."""

    def __init__(self, server: Server, installation: Installation, log: Path) -> None:
        self._primary, self._data = _directly(server)
        self._installation = installation
        self._log = log
        self._folder = installation.data / NAME
        self._port = ports.free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.server = replace(server, read_url=self._at(server.targets_url or server.url))
        self._own = replace(server, url=self._at(server.url), pid=None)

    def __enter__(self) -> "Replica":
        try:
            self._copy()
            self._start()
            self._keep_in_step()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def failure(self) -> BakeoffError | None:
        """The error of one that has ended by itself; None while it runs."""
        return children.failure_of("The replica", self._process, self._log)

    def transactions(self) -> int:
        """How many transactions its clients have committed so far."""
        with self._own.connect() as connection:
            row = connection.execute(
                "SELECT sum(xact_commit) FROM pg_stat_database WHERE datname = current_database()"
            ).fetchone()
        return 0 if row is None or row[0] is None else int(row[0])

    def _at(self, url: str) -> str:
        return url_at(url, lambda _host, _port: (_LOOPBACK, self._port))

    def _copy(self) -> None:
        """Takes a base backup, with what the replica needs to follow; an earlier one is removed."""
        shutil.rmtree(self._folder, ignore_errors=True)
        password_file = self._folder.with_name(f"{NAME}.password")
        with self._primary.for_programs(password_file) as (connection, environment):
            self._installation.give(password_file)
            # The copy is discarded; only the server that it follows must outlive a crash.
            options = ("--checkpoint=fast", "--no-password", "--no-sync")
            arguments = [f"--dbname={connection}", f"--pgdata={self._folder}", *options]
            if not self._installation.run("pg_basebackup", arguments, self._log, environment):
                raise self._error("could not be copied.")
        self._follow()

    def _follow(self) -> None:
        """Names the server to follow in a file that only the replica's account can read."""
        parts = urlsplit(self._primary.url)
        follows = self._folder / "postgresql.auto.conf"
        conninfo = (
            f"host={parts.hostname} port={parts.port} user={parts.username} password={parts.password} "
            f"application_name={NAME}"
        )
        follows.write_text(f"primary_conninfo = '{conninfo}'\n", "utf-8")
        (self._folder / "standby.signal").touch()
        self._installation.give(self._folder / "standby.signal")

    def _start(self) -> None:
        self._process = self._installation.start(self._folder, (f"port={self._port}", *_SETTINGS), self._log)
        if not embedded.becomes_ready(self._process, self._folder):
            raise self._error("did not start.")

    def _keep_in_step(self) -> None:
        """From now on commits of targets wait for it."""
        self._set(_IN_STEP)
        deadline = time.monotonic() + _STREAMS_WITHIN_S
        while True:
            with self._primary.connect() as connection:
                if connection.execute(_IS_IN_STEP, [NAME]).fetchone() is not None:
                    return
            if self.failure is not None:
                raise self.failure
            if time.monotonic() > deadline:
                raise self._error(f"does not follow its server after {_STREAMS_WITHIN_S:.0f} s.")
            time.sleep(_LOOK_EVERY_S)

    def _error(self, what: str) -> BakeoffError:
        output = children.last_lines(self._log)
        cause = cause_in(output, self._folder)
        return BakeoffError(f"The replica of --read-replica {what}{cause} Last lines of {self._log}:\n{output}")

    def _set(self, settings: Sequence[str]) -> None:
        """In the server's file, which each of its starts writes again: no commit waits for a replica that is gone."""
        embedded.write_settings(self._data, settings)
        self._primary.execute_script("SELECT pg_reload_conf()")

    def _end(self) -> None:
        """First the server forgets it: its commits would wait for one that is gone."""
        try:
            self._set(())
        finally:
            if self._process is not None:
                children.stop(self._process, signal.SIGINT, timeout_s=30)
            shutil.rmtree(self._folder, ignore_errors=True)


def _directly(server: Server) -> tuple[Server, Path]:
    """The server at its own port, past what may stand between, and where its data are."""
    folder = server.data_directory() if server.embedded else None
    found = None if folder is None else embedded.pid_file(folder)
    if folder is None or found is None:
        raise BakeoffError("--read-replica follows the embedded PostgreSQL alone: leave it out.")
    return replace(server, url=url_at(server.url, lambda _host, _port: (_LOOPBACK, found.port))), folder

"""A streaming replica of an embedded server, for targets that read from one.

The contract's reads show every change that was acknowledged before. So commits of targets wait until the replica has
applied them (`synchronous_commit = remote_apply`), and what a replica costs is in what a write costs.
"""

import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from bakeoff.errors import BakeoffError
from bakeoff.postgres import embedded
from bakeoff.postgres.auxiliary import Auxiliary
from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.failure_cause import cause_in
from bakeoff.postgres.server import Server, at_port
from bakeoff.processes import children, ports

NAME = "replica"

_STREAMS_WITHIN_S = 30.0
_LOOK_EVERY_S = 0.02
# A replica that lost its way looks for the server again at once; vacuum spares rows that its queries may need, so that
# no change waits for a query.
_SETTINGS = ("wal_retrieve_retry_interval=100ms", "hot_standby_feedback=on")
_IN_STEP = (f"synchronous_standby_names = '{NAME}'", "synchronous_commit = remote_apply")
_IS_IN_STEP = "SELECT 1 FROM pg_stat_replication WHERE application_name = %s AND sync_state IN ('sync', 'quorum')"


@contextmanager
def replicated(server: Server, installation: Installation, log: Path) -> Iterator[Auxiliary]:
    """A replica of a server, whose targets get its address too; no commit is acknowledged before it has that."""
    primary, data = _directly(server)
    folder, port, process = installation.data / NAME, ports.free_port(), None

    def error(what: str) -> BakeoffError:
        output = children.last_lines(log)
        cause = cause_in(output, folder)
        return BakeoffError(f"The replica of --read-replica {what}{cause} Last lines of {log}:\n{output}")

    try:
        if not _copied(primary, folder, installation, log):
            raise error("could not be copied.")
        _follow(primary, folder, installation)
        process = installation.start(folder, (f"port={port}", *_SETTINGS), log)
        if not embedded.becomes_ready(process, folder):
            raise error("did not start.")
        read_url = at_port(server.targets_url or server.url, port)
        replica = Auxiliary("The replica", replace(server, read_url=read_url), process, log)
        # From now on commits of targets wait for it.
        _set(primary, data, _IN_STEP)
        deadline = time.monotonic() + _STREAMS_WITHIN_S
        while not _is_in_step(primary):
            if replica.failure is not None:
                raise replica.failure
            if time.monotonic() > deadline:
                raise error(f"does not follow its server after {_STREAMS_WITHIN_S:.0f} s.")
            time.sleep(_LOOK_EVERY_S)
        yield replica
    finally:
        try:
            # First the server forgets it: its commits would wait for one that is gone.
            _set(primary, data, ())
        finally:
            if process is not None:
                children.stop(process, signal.SIGINT, timeout_s=30)
            shutil.rmtree(folder, ignore_errors=True)


def transactions_of(replica: Auxiliary) -> int:
    """How many transactions the clients of a replica have committed so far."""
    with replace(replica.server, url=replica.server.read_url or "").connect() as connection:
        row = connection.execute(
            "SELECT sum(xact_commit) FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    return 0 if row is None or row[0] is None else int(row[0])


def _copied(primary: Server, folder: Path, installation: Installation, log: Path) -> bool:
    """Takes a base backup, with what the replica needs to follow; an earlier one is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    password_file = folder.with_name(f"{NAME}.password")
    # The copy is discarded; only the server that it follows must outlive a crash.
    options = ("--checkpoint=fast", "--no-password", "--no-sync")
    with primary.for_programs(password_file) as (connection, environment):
        installation.give(password_file)
        arguments = [f"--dbname={connection}", f"--pgdata={folder}", *options]
        return installation.run("pg_basebackup", arguments, log, environment)


def _follow(primary: Server, folder: Path, installation: Installation) -> None:
    """Names the server to follow in a file that only the replica's account can read."""
    parts = urlsplit(primary.url)
    conninfo = (
        f"host={parts.hostname} port={parts.port} user={parts.username} password={parts.password} "
        f"application_name={NAME}"
    )
    (folder / "postgresql.auto.conf").write_text(f"primary_conninfo = '{conninfo}'\n", "utf-8")
    (folder / "standby.signal").touch()
    installation.give(folder / "standby.signal")


def _is_in_step(primary: Server) -> bool:
    with primary.connect() as connection:
        return connection.execute(_IS_IN_STEP, [NAME]).fetchone() is not None


def _set(primary: Server, data: Path, settings: Sequence[str]) -> None:
    """In the server's file, which each of its starts writes again: no commit waits for a replica that is gone."""
    embedded.write_settings(data, settings)
    primary.execute_script("SELECT pg_reload_conf()")


def _directly(server: Server) -> tuple[Server, Path]:
    """The server at its own port, past what may stand between, and where its data are."""
    folder = server.data_directory() if server.embedded else None
    found = None if folder is None else embedded.pid_file(folder)
    if folder is None or found is None:
        raise BakeoffError("--read-replica follows the embedded PostgreSQL alone: leave it out.")
    return replace(server, url=at_port(server.url, found.port)), folder

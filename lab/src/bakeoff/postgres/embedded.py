"""A PostgreSQL instance that the lab owns: made on first use, started on a free loopback port, stopped with the lab."""

import contextlib
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import psutil
from psycopg import sql

from bakeoff.documents.whole_file import made_whole, private_file, write_privately
from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import Installation, account_name
from bakeoff.postgres.failure_cause import cause_in
from bakeoff.postgres.server import Server
from bakeoff.postgres.target_role import make_target_role, target_url
from bakeoff.processes import children, ports
from bakeoff.processes.children import kill_tree

SETTINGS_FILE = Path(__file__).with_name("embedded.conf")
_PORT_ATTEMPTS = 5
# Crash recovery of a full 8 GB of WAL takes longer than any healthy start.
_START_TIMEOUT_S = 180.0
_STOPS_WITHIN_S = 30


@dataclass(frozen=True)
class InstanceKind:
    """The differences between instances. `overrides` are settings, such as `shared_preload_libraries=…`."""

    name: str
    database: str
    overrides: tuple[str, ...] = ()
    serves_targets: bool = True

    def opposite(self, number: int) -> "InstanceKind":
        """One more with the same settings, for a side that takes turns: what one writes is no load of another."""
        return replace(self, name=f"opposite-{number}")


# Little memory, where nothing is measured.
_SMALL = ("shared_buffers=64MB", "wal_buffers=4MB", "max_wal_size=1GB")
APPLICATION = InstanceKind("application", "application")
# PostgreSQL's own defaults where those of runs keep its upkeep out of windows, and a cache that a table can outgrow.
SUSTAINED = InstanceKind(
    "application",
    "application",
    (
        *("shared_buffers=128MB", "min_wal_size=80MB", "max_wal_size=1GB", "checkpoint_timeout=5min"),
        "autovacuum_naptime=1min",
    ),
)
# For manual requests, beside runs.
DEVELOPMENT = InstanceKind("development", "application", _SMALL)
# Counts statements: apart from a measurement, since counting costs time.
COUNTING = InstanceKind(
    "counting",
    "application",
    (*_SMALL, "shared_preload_libraries=pg_stat_statements"),
)
METRICS = InstanceKind("metrics", "performance_metrics", _SMALL, serves_targets=False)


class Instance:
    """An instance of a kind that the lab starts, on the same port each time. Its data stays for the next time.

    It runs while entered, on a port that `choose_port` names.
    """

    def __init__(
        self,
        installation: Installation,
        kind: InstanceKind,
        logs: Path,
        choose_port: Callable[[], int] = ports.free_port,
    ) -> None:
        self._installation = installation
        self._kind = kind
        self._logs = logs
        self._choose_port = choose_port
        self._folder = installation.data / kind.name
        self._process: subprocess.Popen[bytes] | None = None
        self._server: Server | None = None

    def __enter__(self) -> Server:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def server(self) -> Server:
        assert self._server is not None
        return self._server

    def start(self) -> Server:
        """Starts it and waits until it takes connections. The caller calls `stop` or `release` in the end."""
        password = _initialised(self._installation, self._folder, self._logs)
        # A killed lab may have left a server behind.
        _shut_down(self._folder)
        log = self._logs / f"postgres-{self._kind.name}.log"
        try:
            pid, port = self._start_on_a_port(log)
            self._choose_port = lambda: port
            server = _server(self._kind, password, port, pid, log)
            _create_database(server.in_database("postgres"), self._kind.database)
            if server.targets_url is not None:
                with server.connect() as connection:
                    make_target_role(connection, password)
        except BaseException:
            self.stop()
            raise
        self._server = server
        return server

    def stop(self) -> None:
        """Stops it and waits until it has ended. Fast shutdown: sessions are ended, what is committed is on disk."""
        if self._process is None:
            # Another lab has started it.
            _shut_down(self._folder)
        else:
            children.stop(self._process, signal.SIGINT, _STOPS_WITHIN_S)

    def crash(self) -> None:
        """Kills the server and all of its backends at once, as a machine's failure of power would end them."""
        assert self._process is not None
        kill_tree(self._process.pid)
        children.stop(self._process, signal.SIGKILL, _STOPS_WITHIN_S)

    def release(self) -> None:
        """Lets it outlive this lab, for others that use it still."""
        if self._process is not None:
            children.release(self._process)

    def _start_on_a_port(self, log: Path) -> tuple[int, int]:
        write_settings(self._folder)
        for _ in range(_PORT_ATTEMPTS):
            port = self._choose_port()
            self._process = self._installation.start(self._folder, [f"port={port}", *self._kind.overrides], log)
            if becomes_ready(self._process, self._folder):
                return self._process.pid, port
            if "Address already in use" not in children.last_lines(log):
                break
        output = children.last_lines(log)
        damaged = f" If its data is damaged, remove {self._folder} (stored results go with it)."
        raise BakeoffError(
            f"PostgreSQL ({self._kind.name}) did not start.{cause_in(output, self._folder) or damaged} Last lines of "
            f"{log}:\n{output}"
        )


def found_running(data: Path, kind: InstanceKind) -> Server | None:
    """The instance with its data there that another lab has started and that takes connections, or None."""
    folder = data / kind.name
    found = _server_on(folder)
    if found is None or not found.is_ready:
        return None
    return _server(kind, _password_file(folder).read_text("utf-8"), found.port, found.pid)


class PidFile(NamedTuple):
    """The contents of a data folder's pid file: the server's process, its port, and whether it takes connections."""

    pid: int
    port: int
    is_ready: bool


def pid_file(folder: Path) -> PidFile | None:
    """The pid file of a data folder; None where no server has written one. It may be stale."""
    try:
        lines = (folder / "postmaster.pid").read_text("utf-8").splitlines()
        return PidFile(int(lines[0]), int(lines[3]), [line.strip() for line in lines[7:8]] == ["ready"])
    except (OSError, ValueError, IndexError):
        return None


def becomes_ready(process: "subprocess.Popen[bytes]", folder: Path) -> bool:
    """Waits until the server says in its pid file that it accepts connections, or has ended."""
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        found = pid_file(folder)
        if found is not None and found.pid == process.pid and found.is_ready:
            return True
        time.sleep(0.01)
    children.stop(process, signal.SIGQUIT, timeout_s=5)
    return False


def write_settings(folder: Path, added: Sequence[str] = ()) -> None:
    """Writes a server's file of settings, the published ones and those that are added to them."""
    (folder / "postgresql.conf").write_text("\n".join([SETTINGS_FILE.read_text("utf-8"), *added, ""]), "utf-8")


def _server(kind: InstanceKind, password: str, port: int, pid: int, log: Path | None = None) -> Server:
    url = f"postgresql://postgres:{password}@127.0.0.1:{port}/{kind.database}"
    for_targets = target_url(url, password) if kind.serves_targets else None
    return Server(url=url, pid=pid, embedded=True, targets_url=for_targets, log=log)


def _password_file(folder: Path) -> Path:
    return folder / "bakeoff.password"


def _server_on(folder: Path) -> PidFile | None:
    """That of the server that runs on a data folder; None where the file is stale, which is PostgreSQL's to judge."""
    found = pid_file(folder)
    with contextlib.suppress(psutil.NoSuchProcess):
        process = None if found is None else psutil.Process(found.pid)
        if process is not None and process.name() == "postgres" and str(folder) in process.cmdline():
            return found
    return None


def _shut_down(folder: Path) -> None:
    """Ends a server of this folder that is no child of this lab."""
    found = _server_on(folder)
    if found is None:
        return
    try:
        process = psutil.Process(found.pid)
        process.send_signal(signal.SIGINT)
        process.wait(_STOPS_WITHIN_S)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired as error:
        raise BakeoffError(f"PostgreSQL, process {found.pid}, uses {folder} and does not stop. Stop it.") from error


def _initialised(installation: Installation, folder: Path, logs: Path) -> str:
    """Makes the data folder if there is none, and returns the password of the superuser."""
    if _password_file(folder).is_file():
        return _password_file(folder).read_text("utf-8")
    password, log = secrets.token_hex(16), logs / f"postgres-{folder.name}-initdb.log"
    password_for_initdb = folder.with_name("password")
    with (
        made_whole(folder) as partial,
        private_file(password_for_initdb, password.encode()),
        account_name(folder.with_name("account")) as environment,
    ):
        partial.mkdir(mode=0o700)
        for path in (partial, password_for_initdb):
            installation.give(path)
        arguments = (
            *(f"--pgdata={partial}", "--username=postgres", f"--pwfile={password_for_initdb}"),
            # As version 18 does by itself: the same work for every version.
            *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--data-checksums"),
        )
        if not installation.run("initdb", arguments, log, environment):
            output = children.last_lines(log)
            cause = cause_in(output, folder.parent)
            raise BakeoffError(f"PostgreSQL's data folder {folder} could not be created.{cause} Output:\n{output}")
        write_privately(_password_file(partial), password.encode())
        installation.give(_password_file(partial))
    return password


def _create_database(server: Server, name: str) -> None:
    with server.connect() as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if found is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

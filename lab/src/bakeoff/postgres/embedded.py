"""A PostgreSQL instance that the lab owns: made on first use, started on a free loopback port, stopped with the lab."""

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from psycopg import sql

from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.failure_cause import cause_in
from bakeoff.postgres.server import Server, private_file
from bakeoff.postgres.target_role import make_target_role, target_url
from bakeoff.processes import children, ports
from bakeoff.processes.kill_tree import kill_tree

_SETTINGS = Path(__file__).with_name("embedded.conf")
_PORT_ATTEMPTS = 5
# Crash recovery of a full 8 GB of WAL takes longer than any healthy start.
_START_TIMEOUT_S = 180.0


@dataclass(frozen=True)
class InstanceKind:
    """The differences between the two instances."""

    name: str
    database: str
    overrides: tuple[str, ...] = ()
    serves_targets: bool = True


APPLICATION = InstanceKind("application", "application")
# For manual requests, beside runs: with little memory, since nothing is measured there.
DEVELOPMENT = InstanceKind("development", "application", ("shared_buffers=64MB", "wal_buffers=4MB", "max_wal_size=1GB"))
METRICS = InstanceKind(
    "metrics",
    "performance_metrics",
    ("shared_buffers=64MB", "wal_buffers=4MB", "max_wal_size=1GB"),
    serves_targets=False,
)


@dataclass(frozen=True)
class Instance:
    """An instance that runs. `process` is None where another lab has started it."""

    server: Server
    process: subprocess.Popen[bytes] | None


@contextlib.contextmanager
def running(
    installation: Installation, kind: InstanceKind, logs: Path, choose_port: Callable[[], int] = ports.free_port
) -> Iterator[Server]:
    """The instance while it runs, on a port that `choose_port` names. Its data stays for the next time."""
    instance = start(installation, kind, logs, choose_port)
    try:
        yield instance.server
    finally:
        stop(instance)


def start(
    installation: Installation, kind: InstanceKind, logs: Path, choose_port: Callable[[], int] = ports.free_port
) -> Instance:
    """Starts the instance. The caller calls `stop` or `leave_running` in the end."""
    folder = installation.data / kind.name
    password = _initialised(installation, folder, logs)
    _end_leftover(folder)
    process, port = _started(installation, kind, folder, logs, choose_port)
    instance = Instance(_server(kind, password, port, process.pid), process)
    try:
        _create_database(instance.server.in_database("postgres"), kind.database)
        if instance.server.targets_url is not None:
            with instance.server.connect() as connection:
                make_target_role(connection, password)
    except BaseException:
        stop(instance)
        raise
    return instance


def stop(instance: Instance) -> None:
    """Stops it and waits until it has ended. Fast shutdown: sessions are ended, what is committed is on disk."""
    if instance.process is not None:
        children.stop(instance.process, signal.SIGINT, timeout_s=30)
        return
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(instance.server.pid)
        if process.name() == "postgres":
            process.send_signal(signal.SIGINT)
            process.wait(30)


def crash(instance: Instance) -> None:
    """Kills the server and all of its backends at once, as a machine's failure of power would end them."""
    assert instance.process is not None
    kill_tree(instance.process.pid)
    children.stop(instance.process, signal.SIGKILL, 30)


def leave_running(instance: Instance) -> None:
    """Lets it outlive this lab, for others that use it still."""
    if instance.process is not None:
        children.release(instance.process)


def found_running(installation: Installation, kind: InstanceKind) -> Instance | None:
    """The instance that another lab has started and that takes connections, or None."""
    folder = installation.data / kind.name
    try:
        lines = (folder / "postmaster.pid").read_text("utf-8").splitlines()
        password = (folder / "bakeoff.password").read_text("utf-8")
        pid, port, state = int(lines[0]), int(lines[3]), lines[7].strip()
        usable = state == "ready" and _is_server_of(psutil.Process(pid), folder)
    except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
        return None
    return Instance(_server(kind, password, port, pid), None) if usable else None


def _server(kind: InstanceKind, password: str, port: int, pid: int) -> Server:
    url = f"postgresql://postgres:{password}@127.0.0.1:{port}/{kind.database}"
    for_targets = target_url(url, password) if kind.serves_targets else None
    return Server(url=url, pid=pid, embedded=True, targets_url=for_targets)


def _is_server_of(process: psutil.Process, folder: Path) -> bool:
    return process.name() == "postgres" and str(folder) in process.cmdline()


def _initialised(installation: Installation, folder: Path, logs: Path) -> str:
    """Makes the data folder if there is none, and returns the password of the superuser."""
    password_file = folder / "bakeoff.password"
    if password_file.is_file():
        return password_file.read_text("utf-8")
    # Beside its final place: an initdb that is interrupted leaves nothing that looks finished.
    partial = folder.with_name(f"{folder.name}.partial")
    for leftover in (partial, folder):
        shutil.rmtree(leftover, ignore_errors=True)
    partial.mkdir(mode=0o700, parents=True)
    password = secrets.token_hex(16)
    password_for_initdb = partial.parent / "password"
    installation.give(partial)
    initdb = [
        str(installation.programs / "initdb"),
        f"--pgdata={partial}",
        "--username=postgres",
        "--encoding=UTF8",
        "--locale=C",
        "--auth=scram-sha-256",
        f"--pwfile={password_for_initdb}",
    ]
    log = logs / f"postgres-{folder.name}-initdb.log"
    with private_file(password_for_initdb, password):
        installation.give(password_for_initdb)
        process = children.start(initdb, log=log, user=installation.user, group=installation.group)
        try:
            status = process.wait()
        finally:
            children.kill_session(process)
    if status != 0:
        output = children.last_lines(log)
        cause = cause_in(output, partial.parent)
        raise BakeoffError(f"PostgreSQL's data folder {folder} could not be created.{cause} Output:\n{output}")
    with open(partial / "bakeoff.password", "w", encoding="utf-8", opener=_privately) as file:
        file.write(password)
    installation.give(partial / "bakeoff.password")
    partial.rename(folder)
    return password


def _privately(path: str, flags: int) -> int:
    """Opens a file that no other user can read at any moment."""
    return os.open(path, flags, 0o600)


def _end_leftover(folder: Path) -> None:
    """Ends a server of this folder that a killed lab left behind. A stale pid file is PostgreSQL's own to judge."""
    try:
        pid = int((folder / "postmaster.pid").read_text("utf-8").splitlines()[0])
        leftover = psutil.Process(pid)
        if _is_server_of(leftover, folder):
            leftover.send_signal(signal.SIGINT)
            leftover.wait(30)
    except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
        return
    except psutil.TimeoutExpired as error:
        raise BakeoffError(
            f"A PostgreSQL server, process {pid}, still uses {folder} and does not stop. Stop it."
        ) from error


def _started(
    installation: Installation, kind: InstanceKind, folder: Path, logs: Path, choose_port: Callable[[], int]
) -> tuple[subprocess.Popen[bytes], int]:
    log = logs / f"postgres-{kind.name}.log"
    for _ in range(_PORT_ATTEMPTS):
        port = choose_port()
        process = children.start(
            _command(installation, kind, folder, port),
            log=log,
            user=installation.user,
            group=installation.group,
            death_signal=signal.SIGINT,
        )
        try:
            if becomes_ready(process, folder):
                return process, port
        except BaseException:
            children.stop(process, signal.SIGQUIT, timeout_s=5)
            raise
        if "Address already in use" not in children.last_lines(log):
            break
    output = children.last_lines(log)
    raise BakeoffError(
        f"The embedded PostgreSQL ({kind.name}) did not start.{cause_in(output, folder)} If its data is damaged, "
        f"remove {folder} (its stored results go with it). Last lines of {log}:\n{output}"
    )


def write_settings(folder: Path, added: Sequence[str] = ()) -> None:
    """Writes a server's file of settings, the published ones and those that are added to them."""
    (folder / "postgresql.conf").write_text("\n".join([_SETTINGS.read_text("utf-8"), *added, ""]), "utf-8")


def _command(installation: Installation, kind: InstanceKind, folder: Path, port: int) -> list[str]:
    write_settings(folder)
    settings = [f"port={port}", *kind.overrides]
    return [str(installation.programs / "postgres"), "-D", str(folder), *(f"-c{setting}" for setting in settings)]


def becomes_ready(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Waits until the server says in its pid file that it accepts connections, or has ended."""
    pid_file = folder / "postmaster.pid"
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            lines = pid_file.read_text("utf-8").splitlines()
            if len(lines) >= 8 and lines[0] == str(process.pid) and lines[7].strip() == "ready":
                return True
        time.sleep(0.01)
    children.stop(process, signal.SIGQUIT, timeout_s=5)
    return False


def _create_database(server: Server, name: str) -> None:
    with server.connect() as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
        if found is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

"""A PostgreSQL in a container, with the settings of the embedded one."""

import os
import secrets
import signal
import subprocess
import time
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.postgres.embedded import SETTINGS_FILE, InstanceKind
from bakeoff.postgres.server import DatabaseUnreachableError, Server
from bakeoff.postgres.target_role import make_target_role, target_url
from bakeoff.processes import children, ports
from bakeoff.processes.launching import Launcher, Program

# Initialising takes some seconds, crash recovery of a full 8 GB of WAL more.
_STARTS_WITHIN_S = 180.0
_STOPS_WITHIN_S = 30.0
# Where the official image keeps its data, and its account.
_DATA, _SOCKET, _USER = "/var/lib/postgresql", "/var/run/postgresql", "postgres"
# Where it listens is the container's business.
_NOT_INSIDE = {"listen_addresses", "unix_socket_directories"}
_INITDB = "--encoding=UTF8 --locale=C --auth-host=scram-sha-256"


# Another image, such as one of a mirror.
IMAGE_VARIABLE, _IMAGE = "BAKEOFF_POSTGRES_IMAGE", "postgres:18-bookworm"


def postgres_image() -> str:
    """The image of containers with PostgreSQL: the official one, or what the environment names."""
    return os.environ.get(IMAGE_VARIABLE) or _IMAGE


class DatabaseContainer:
    """One server: started, crashed and started again on the same port with what its volume holds, and stopped."""

    def __init__(self, launcher: Launcher, image: str, kind: InstanceKind, logs: Path) -> None:
        self._launcher = launcher
        self._image = image
        self._kind = kind
        self._log = logs / f"postgres-{kind.name}-container.log"
        self._password = secrets.token_hex(16)
        self._port = ports.free_port()
        self._volume = f"bakeoff-{secrets.token_hex(8)}"
        self._process: subprocess.Popen[bytes] | None = None
        self._started: Server | None = None

    @property
    def server(self) -> Server:
        assert self._started is not None
        return self._started

    def start(self) -> Server:
        """Starts it and waits until it takes connections. Raises BakeoffError when it does not."""
        self._process = self._launcher.start(
            Program(
                role="database",
                command=["docker-entrypoint.sh", "postgres", *self._settings()],
                log=self._log,
                environment={
                    "POSTGRES_PASSWORD": self._password,
                    "POSTGRES_DB": self._kind.database,
                    "POSTGRES_INITDB_ARGS": _INITDB,
                },
                image=self._image,
                port=self._port,
                data=_DATA,
                volume=self._volume,
                user=_USER,
                scratch=("/tmp", _SOCKET),  # noqa: S108 — of the container
            )
        )
        server = self._server(self._launcher.container_of(self._process))
        try:
            self._wait_for(server)
            with server.connect() as connection:
                make_target_role(connection, self._password)
        except BaseException:
            self.crash()
            raise
        self._started = server
        return server

    def crash(self) -> None:
        """Kills the server and all of its backends at once."""
        assert self._process is not None
        self._launcher.end(self._process, signal.SIGKILL, _STOPS_WITHIN_S)

    def stop(self) -> None:
        assert self._process is not None
        self._launcher.end(self._process, signal.SIGINT, _STOPS_WITHIN_S)

    def _server(self, container: str | None) -> Server:
        url = f"postgresql://postgres:{self._password}@127.0.0.1:{self._port}/{self._kind.database}"
        targets_url = target_url(url, self._password)
        return Server(url, None, embedded=False, targets_url=targets_url, container=container, log=self._log)

    def _settings(self) -> list[str]:
        lines = SETTINGS_FILE.read_text("utf-8").splitlines()
        pairs = (line.split("=", 1) for line in lines if line.strip() and not line.startswith("#"))
        named = {name.strip(): value.strip().strip("'") for name, value in pairs}
        settings = [f"{name}={value}" for name, value in named.items() if name not in _NOT_INSIDE]
        return [f"-c{each}" for each in (f"port={self._port}", "listen_addresses=*", *settings, *self._kind.overrides)]

    def _wait_for(self, server: Server) -> None:
        assert self._process is not None
        deadline = time.monotonic() + _STARTS_WITHIN_S
        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                server.connect().close()
            except DatabaseUnreachableError:
                time.sleep(0.05)
            else:
                return
        raise BakeoffError(
            f"The container of PostgreSQL ({self._image}) did not start. Last lines of {self._log}:\n"
            f"{children.last_lines(self._log)}"
        )

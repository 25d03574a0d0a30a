"""PgBouncer between targets and a server: the same database at another address."""

import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from urllib.parse import unquote, urlsplit

from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.server import POSTGRESQL_PORT, Server, url_at
from bakeoff.processes import children, ports

PROGRAM = "pgbouncer"
SESSION, TRANSACTION = "session", "transaction"
CONFIGURATION = Path(__file__).with_name("pgbouncer.ini")

_LOOPBACK = "127.0.0.1"
# From this version on it keeps the statements that clients prepare, whichever connection runs them.
_PREPARES_FROM = (1, 21)
_PREPARED = "max_prepared_statements = 200"
# Debian installs it where not every user's PATH leads.
_ALSO_IN = "/usr/sbin"
_STOPS_WITHIN_S = 12.0


@dataclass(frozen=True)
class PgBouncer:
    """The program that is installed here."""

    program: str
    version: tuple[int, int]

    @property
    def prepares(self) -> bool:
        """Whether prepared statements work with transaction pooling."""
        return self.version >= _PREPARES_FROM


def find_pgbouncer(mode: str) -> PgBouncer:
    """PgBouncer of this machine. Raises BakeoffError where there is none, or none that can pool in this mode."""
    program = shutil.which(PROGRAM) or shutil.which(PROGRAM, path=_ALSO_IN)
    if program is None:
        raise BakeoffError("--pgbouncer needs PgBouncer on PATH. Install it (Debian: apt-get install pgbouncer).")
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    named = re.search(r"PgBouncer (\d+)\.(\d+)", shown)
    if named is None:
        raise BakeoffError(f"{program} --version does not name a version of PgBouncer: reinstall it.")
    found = PgBouncer(program, (int(named[1]), int(named[2])))
    if mode == TRANSACTION and not found.prepares:
        raise BakeoffError(
            f"--pgbouncer transaction needs PgBouncer 1.21 or newer, which keeps prepared statements, and {program} is "
            f"{named[1]}.{named[2]}: install a newer one (Debian 13, apt.postgresql.org), or use --pgbouncer session."
        )
    return found


class Pooler:
    """PgBouncer in front of a server while the `with` block lasts.

    `server` is the same one, whose targets connect through the pool. PgBouncer refuses to be root, and so runs as the
    account of the `installation`.
    """

    def __init__(
        self, server: Server, mode: str, connections: int, template: Path, log: Path, installation: Installation
    ) -> None:
        self._found = find_pgbouncer(mode)
        self._mode = mode
        self._connections = connections
        self._template = template
        self._log = log
        self._installation = installation
        self._behind = server.targets_url or server.url
        self._port = ports.free_port()
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        through = url_at(self._behind, lambda _host, _port: (_LOOPBACK, self._port))
        self.server = replace(server, targets_url=through)

    def __enter__(self) -> "Pooler":
        self._folder = Path(tempfile.mkdtemp(prefix="bakeoff-pgbouncer-"))
        try:
            self._process = children.start(
                [self._found.program, "--quiet", str(self._configured(self._folder))],
                log=self._log,
                user=self._installation.user,
                group=self._installation.group,
                death_signal=signal.SIGTERM,
            )
            children.wait_until_listening(self._process, self._port, self._log)
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
        return children.failure_of("PgBouncer", self._process, self._log)

    def _configured(self, folder: Path) -> Path:
        """Its configuration, and the password of its users, in a folder that only its account can enter."""
        parts = urlsplit(self._behind)
        users, configuration = folder / "users.txt", folder / PROGRAM
        name, password = (_quoted(unquote(part or "")) for part in (parts.username, parts.password))
        users.write_text(f"{name} {password}\n", "utf-8")
        text = Template(self._template.read_text("utf-8")).substitute(
            database=unquote(parts.path.lstrip("/")),
            host=parts.hostname,
            port=parts.port or POSTGRESQL_PORT,
            listen=self._port,
            users=users,
            mode=self._mode,
            connections=self._connections,
            prepared=_PREPARED if self._found.prepares else "",
        )
        configuration.write_text(text, "utf-8")
        for path in (users, configuration, folder):
            self._installation.give(path)
        return configuration

    def _end(self) -> None:
        if self._process is not None:
            # SIGINT lets what is in flight end first (session pooling: sessions), SIGTERM does not wait.
            children.stop(self._process, signal.SIGTERM, _STOPS_WITHIN_S)
            children.kill_session(self._process)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _quoted(text: str) -> str:
    """As PgBouncer's list of users has it."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'

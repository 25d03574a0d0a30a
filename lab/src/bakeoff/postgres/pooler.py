"""PgBouncer between targets and a server: the same database at another address."""

import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from urllib.parse import unquote, urlsplit

from bakeoff.errors import BakeoffError
from bakeoff.postgres.auxiliary import Auxiliary
from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.server import POSTGRESQL_PORT, Server, at_port
from bakeoff.processes import children, ports

PROGRAM = "pgbouncer"
SESSION, TRANSACTION = "session", "transaction"
CONFIGURATION = Path(__file__).with_name("pgbouncer.ini")

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


@contextmanager
def pooled(server: Server, mode: str, connections: int, log: Path, installation: Installation) -> Iterator[Auxiliary]:
    """PgBouncer in front of a server, which targets connect through.

    It refuses to be root, and so runs as the account of the `installation`.
    """
    found, behind, port = find_pgbouncer(mode), server.targets_url or server.url, ports.free_port()
    prepared = _PREPARED if found.prepares else ""
    own: dict[str, str | int] = {"listen": port, "mode": mode, "connections": connections, "prepared": prepared}
    with tempfile.TemporaryDirectory(prefix="bakeoff-pgbouncer-") as folder:
        process = children.start(
            [found.program, "--quiet", str(_configured(Path(folder), behind, own, installation))],
            log=log,
            user=installation.user,
            group=installation.group,
            death_signal=signal.SIGTERM,
        )
        try:
            children.wait_until_listening(process, port, log)
            yield Auxiliary("PgBouncer", replace(server, targets_url=at_port(behind, port)), process, log)
        finally:
            # SIGINT lets what is in flight end first (session pooling: sessions), SIGTERM does not wait.
            children.stop(process, signal.SIGTERM, _STOPS_WITHIN_S)
            children.kill_session(process)


def _configured(folder: Path, behind: str, own: Mapping[str, str | int], installation: Installation) -> Path:
    """Its configuration, and the password of its users, in a folder that only its account can enter."""
    parts = urlsplit(behind)
    users, configuration = folder / "users.txt", folder / PROGRAM
    name, password = (_quoted(unquote(part or "")) for part in (parts.username, parts.password))
    users.write_text(f"{name} {password}\n", "utf-8")
    text = Template(CONFIGURATION.read_text("utf-8")).substitute(
        own,
        database=unquote(parts.path.lstrip("/")),
        host=parts.hostname,
        port=parts.port or POSTGRESQL_PORT,
        users=users,
    )
    configuration.write_text(text, "utf-8")
    for path in (users, configuration, folder):
        installation.give(path)
    return configuration


def _quoted(text: str) -> str:
    """As PgBouncer's list of users has it."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'

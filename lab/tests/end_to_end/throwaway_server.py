"""A real PostgreSQL for the end-to-end tests, which may be killed and started again."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import Installation, find_installation
from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project

StartServer = Callable[[], AbstractContextManager[Server]]

_KIND = embedded.InstanceKind("database", "application", ("shared_buffers=64MB", "max_wal_size=512MB"))


@contextmanager
def throwaway_server(project: Project, logs: Path) -> Iterator[StartServer]:
    """Starts a PostgreSQL of the tests' own: each time with the same data on the same port, as one that comes back."""
    packaged = find_installation(project)
    data = packaged.data / f"end-to-end-{os.getpid()}-{secrets.token_hex(4)}"
    data.mkdir(mode=0o755)
    if packaged.user is not None and packaged.group is not None:
        os.chown(data, packaged.user, packaged.group)
    installation = Installation(packaged.programs, data, packaged.user, packaged.group)
    port = ports.free_port()
    try:
        yield lambda: embedded.Instance(installation, _KIND, logs, lambda: port)
    finally:
        shutil.rmtree(data)

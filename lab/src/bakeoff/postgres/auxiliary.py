"""A process that the lab runs beside a server."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.processes import children


@dataclass(frozen=True)
class Auxiliary:
    """A process that runs, and the server with the address that targets reach through it. `name` is for messages."""

    name: str
    server: Server
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def failure(self) -> BakeoffError | None:
        """The error of a process that has ended by itself; None while it runs."""
        return children.failure_of(self.name, self.process, self.log)

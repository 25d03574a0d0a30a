"""A process that the lab runs beside a server, and a server that can be crashed."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

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


class Crashable(Protocol):
    """A server that comes back on the same port after a crash."""

    @property
    def server(self) -> Server:
        """The server since its last start: another process after each crash."""
        ...

    def start(self) -> Server:
        """Starts it, and waits until it takes connections."""
        ...

    def crash(self) -> None:
        """Kills it and all of its backends."""
        ...

    def stop(self) -> None:
        """Ends it in order."""
        ...

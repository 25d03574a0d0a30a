"""A database that can be crashed and started again with what its disk holds."""

from typing import Protocol

from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project


class Crashable(Protocol):
    """A server that comes back on the same port after a crash."""

    def start(self) -> Server:
        """Starts it, and waits until it takes connections."""
        ...

    def crash(self) -> None:
        """Kills it and all of its backends."""
        ...

    def stop(self) -> None:
        """Ends it in order."""
        ...


class EmbeddedDatabase:
    """An embedded instance of a kind."""

    def __init__(self, project: Project, kind: embedded.InstanceKind) -> None:
        self._project = project
        self._kind = kind
        self._port = ports.free_port()
        self._instance: embedded.Instance | None = None

    def start(self) -> Server:
        self._instance = embedded.start(
            find_installation(self._project), self._kind, self._project.logs, lambda: self._port
        )
        return self._instance.server

    def crash(self) -> None:
        assert self._instance is not None
        embedded.crash(self._instance)

    def stop(self) -> None:
        if self._instance is not None:
            embedded.stop(self._instance)

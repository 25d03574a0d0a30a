"""A database that can be crashed and started again with what its disk holds."""

from typing import Protocol

from bakeoff.postgres.server import Server


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

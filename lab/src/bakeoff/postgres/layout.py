"""Tables that were laid out before a target starts, and whether it has left them as they were."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server


@dataclass(frozen=True)
class Layout:
    """The tables of a server's database, by their numbers."""

    server: Server
    overlay: str
    tables: Mapping[int, str]

    def check(self, target: str) -> None:
        """Raises BakeoffError where one of them is gone: what is measured would not be the overlay."""
        left = _tables_of(self.server)
        gone = [name for number, name in self.tables.items() if number not in left]
        if gone:
            raise BakeoffError(
                f"{target} has dropped {', '.join(gone)}, which --overlay {self.overlay} had laid out. A target "
                "applies schema.sql and leaves the tables that it finds: correct it, or leave out --overlay."
            )


def layout_of(server: Server, overlay: str) -> Layout:
    """The layout that the database has now."""
    return Layout(server, overlay, _tables_of(server))


def _tables_of(server: Server) -> dict[int, str]:
    with server.connect() as connection:
        rows = connection.execute(Path(__file__).with_name("tables.sql").read_bytes()).fetchall()
    return {int(number): str(name) for number, name in rows}

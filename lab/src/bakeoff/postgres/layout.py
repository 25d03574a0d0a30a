"""Tables that were laid out before a target starts, and whether it has left them as they were."""

from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.errors import BakeoffError
from bakeoff.postgres.relations import Relation, relations_of
from bakeoff.postgres.server import Server


@dataclass(frozen=True)
class Layout:
    """The relations of a server's database, by their names."""

    server: Server
    overlay: str
    relations: Mapping[str, Relation]

    def check(self, target: str) -> None:
        """Raises BakeoffError where one of them is gone: what is measured would not be the overlay."""
        left = {each.number for each in relations_of(self.server).values()}
        gone = [name for name, each in self.relations.items() if each.is_table and each.number not in left]
        if gone:
            raise BakeoffError(
                f"{target} has dropped {', '.join(gone)}, which --overlay {self.overlay} had laid out. A target "
                "applies schema.sql and leaves the tables that it finds: correct it, or leave out --overlay."
            )


def layout_of(server: Server, overlay: str) -> Layout:
    """The layout that the database has now."""
    return Layout(server, overlay, relations_of(server))

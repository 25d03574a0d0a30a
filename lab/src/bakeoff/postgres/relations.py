"""The relations of a database, and whether those that a contract names are still the tables that it makes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server

_TABLES = {"r": "table", "p": "partitioned table"}
_KINDS = {**_TABLES, "v": "view", "m": "materialized view", "f": "foreign table"}
_PERMANENT = "p"


@dataclass(frozen=True)
class Relation:
    """A table, or what reads like one: `number` is its own alone, `columns` are names with types."""

    number: int
    kind: str
    persistence: str
    columns: tuple[str, ...]

    @property
    def is_table(self) -> bool:
        return self.kind in _TABLES


def relations_of(server: Server) -> dict[str, Relation]:
    """The relations of a server's database by their names, with the schema."""
    with server.connect() as connection:
        rows = connection.execute(Path(__file__).with_name("relations.sql").read_bytes()).fetchall()
    return {name: Relation(int(number), kind, kept, tuple(columns)) for number, name, kind, kept, columns in rows}


def drop_views_of_targets(server: Server) -> None:
    """Drops what a target may have left in the place of a table, on a server where targets have their own role."""
    if server.targets_url is not None:
        server.execute_script(Path(__file__).with_name("drop_views.sql").read_text("utf-8"))


@dataclass(frozen=True)
class RequiredTables:
    """Tables that must be there as long as a target works. `may_go`: one that the target made itself may be dropped."""

    relations: Mapping[str, Relation]
    may_go: bool = False

    def problems(self, found: Mapping[str, Relation]) -> Iterator[str]:
        """A sentence for each table that is gone, is another relation, lacks a column, or does not survive a crash."""
        for name, required in self.relations.items():
            if not required.is_table or (self.may_go and name not in found):
                continue
            yield from _problems(name, required, found.get(name))


def _problems(name: str, required: Relation, found: Relation | None) -> Iterator[str]:
    if found is None:
        yield f"The table {name} is gone, which the contract's schema makes."
    elif found.kind != required.kind:
        yield f"{name} is a {_KINDS[found.kind]}, and the contract makes a {_KINDS[required.kind]}."
    else:
        missing = [column for column in required.columns if column not in found.columns]
        if missing:
            yield f"The table {name} lacks columns of the contract: {', '.join(missing)}."
        if required.persistence == _PERMANENT != found.persistence:
            yield unlogged(name)


def unlogged(name: str) -> str:
    return f"The table {name} is unlogged: a crash empties it."


@dataclass(frozen=True)
class Layout:
    """The relations that an overlay has laid out, by their names."""

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

"""The tables that a target must store in, and whether they are that while it works."""

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.options.variant import Variant
from bakeoff.postgres.extensions import naming_missing_extension
from bakeoff.postgres.relations import RequiredTables, relations_of
from bakeoff.postgres.server import Server
from bakeoff.running.testbed import Testbed
from bakeoff.targets.manifest import Target
from bakeoff.workload.loader import Workload


def required_tables(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> RequiredTables | None:
    """Those of the target's own `prepare`, or of the workload's schema; None where nothing names them.

    To be asked for before the target starts. An overlay lays them out later.
    """
    server, schema = testbed.server, workload.sql("schema")
    if server is None or variant.overlay is not None:
        return None
    if target.name in testbed.attached:
        return None if schema is None else RequiredTables(relations_of(server))
    if target.manifest.storage.prepare is not None:
        return RequiredTables(relations_of(server), may_go=True)
    if workload.declared.seed is not None:
        return RequiredTables(relations_of(server))
    return None if schema is None else _made_by(schema, workload.sql("reset"), server)


def _made_by(schema: str, reset: str | None, server: Server) -> RequiredTables:
    """The target itself makes them again, which `schema` allows."""
    before = relations_of(server)
    with naming_missing_extension(server):
        server.as_targets.execute_script(schema)
    made = {name: each for name, each in relations_of(server).items() if name not in before}
    if reset is not None:
        server.execute_script(reset)
    return RequiredTables(made)


class TableWatch:
    """Looks whether required tables are what they must be; `problems` are sentences. An unavailable server is none."""

    def __init__(self, server: Server, required: RequiredTables) -> None:
        self._server = server
        self._required = required
        self._problems: dict[str, None] = {}

    @property
    def problems(self) -> list[str]:
        return list(self._problems)

    def look(self) -> None:
        try:
            found = relations_of(self._server)
        except (BakeoffError, psycopg.Error):
            return
        self._problems |= dict.fromkeys(self._required.problems(found))

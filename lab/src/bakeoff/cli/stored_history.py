"""The metrics database as commands read it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bakeoff.project import COMMAND, find_project

if TYPE_CHECKING:
    from bakeoff.postgres.server import Server

EMPTY = f"Nothing is stored yet: start with {COMMAND} run smoke."


@contextmanager
def stored_history() -> "Iterator[Server]":
    """The metrics database of the project, its schema up to date."""
    from bakeoff.postgres.databases import metrics_database
    from bakeoff.storage.metrics_store import MetricsStore

    with metrics_database(find_project()) as server:
        MetricsStore(server).migrate()
        yield server

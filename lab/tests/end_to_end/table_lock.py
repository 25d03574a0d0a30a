"""Makes the database slow: a locked table, and who waits for it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bakeoff.postgres.server import Server

_TIMEOUT_S = 60.0


@contextmanager
def table_locked(server: Server) -> Iterator[None]:
    """Until the block ends no other session reads or writes the table."""
    with server.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE car_entities")
        yield


def statements_waiting(server: Server) -> int:
    """Statements that wait for a lock."""
    with server.connect() as connection:
        row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").fetchone()
    assert row is not None
    return int(row[0])


def stored_entities(server: Server) -> set[str]:
    """The ids of all entities in the table."""
    with server.connect() as connection:
        return {identity for (identity,) in connection.execute("SELECT id FROM car_entities").fetchall()}


def wait_until(what: str, condition: Callable[[], bool], within_s: float = _TIMEOUT_S) -> None:
    """Looks until the condition holds; an AssertionError says what never came."""
    deadline = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"within {within_s:g} s it did not come to this: {what}")
        time.sleep(0.01)

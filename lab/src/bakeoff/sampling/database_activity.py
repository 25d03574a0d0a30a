"""PostgreSQL's own view of a run: what it counted, and what its backends waited for."""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg.rows import dict_row

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server

if TYPE_CHECKING:
    from psycopg import Connection

_PERIOD_S = 0.5
_FIRST_VERSION_WITH_CHECKPOINTER = 170_000

# What backends are at in one look: a wait event or the CPU → how many; None: idle.
Look = Mapping[str | None, int]
Counters = Mapping[str, int]

_Answer = TypeVar("_Answer")


class DatabaseWatch:
    """Counts from entry to `activity`, and looks at what backends wait for from entry to exit.

    A server that refuses or goes away meanwhile leaves the activity unknown: it never ends a run.
    """

    def __init__(self, server: Server, period_s: float = _PERIOD_S) -> None:
        self._server = server
        self._period_s = period_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="database-watch", daemon=True)
        self._looks: list[Look] = []
        self._begin: tuple[Counters, Counters] | None = None
        self._end_position: Counters | None = None

    def __enter__(self) -> "DatabaseWatch":
        self._begin = _tried(self._server, lambda connection: (_counters(connection), _position(connection)))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()
        self._end_position = _tried(self._server, _position)

    def activity(self, operations: int) -> dict[str, Any] | None:
        """What happened since entry, during which so many operations were acknowledged; None where it is unknown.

        To be asked for when the target has ended: only then have all of its backends reported what they did.
        """
        after = _tried(self._server, _counters)
        if self._begin is None or self._end_position is None or after is None:
            return None
        before, position = self._begin
        counted = {**_difference(before, after), **_difference(position, self._end_position)}
        return activity_of(counted, self._looks, operations)

    def _loop(self) -> None:
        try:
            with self._server.connect() as connection:
                while not self._done.wait(self._period_s):
                    self._looks.append({row["at"]: row["backends"] for row in _rows(connection, "database_waits")})
        except (BakeoffError, psycopg.Error):
            return


def activity_of(counted: Counters, looks: Sequence[Look], operations: int) -> dict[str, Any]:
    """The record of a run: totals, shares and what they come to for each operation."""
    updated, hot = counted["rows_updated"], counted["rows_hot_updated"]
    waits: Counter[str] = Counter()
    for look in looks:
        waits.update({at: backends for at, backends in look.items() if at is not None})
    active = sum(waits.values())
    return {
        **counted,
        "operations": operations,
        "wal_bytes_per_operation": counted["wal_bytes"] / operations if operations else None,
        "operations_per_commit": operations / counted["commits"] if counted["commits"] else None,
        "hot_update_share": hot / updated if updated else None,
        "looks": len(looks),
        "active_backends_mean": active / len(looks) if looks else None,
        "connections_peak": max((sum(look.values()) for look in looks), default=None),
        "wait_shares": {at: count / active for at, count in waits.most_common()},
    }


def _difference(before: Counters, after: Counters) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def _counters(connection: "Connection[Any]") -> Counters:
    return _as_integers(_rows(connection, "database_counters")[0])


def _position(connection: "Connection[Any]") -> Counters:
    has_checkpointer = connection.info.server_version >= _FIRST_VERSION_WITH_CHECKPOINTER
    name = "database_position" if has_checkpointer else "database_position_before_17"
    return _as_integers(_rows(connection, name)[0])


def _as_integers(row: Mapping[str, Any]) -> Counters:
    return {name: int(value) for name, value in row.items()}


def _rows(connection: "Connection[Any]", name: str) -> list[dict[str, Any]]:
    statement = Path(__file__).with_name(f"{name}.sql").read_bytes()
    with connection.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(statement).fetchall()


def _tried(server: Server, ask: Callable[["Connection[Any]"], _Answer]) -> _Answer | None:
    try:
        with server.connect() as connection:
            return ask(connection)
    except (BakeoffError, psycopg.Error):
        return None

"""PostgreSQL's own view of a run: what it counted, and what its backends waited for."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

Counters = Mapping[str, int]
# Begin and end by the wall clock, Unix nanoseconds.
Span = tuple[int, int]

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Look:
    """What backends were at: a wait event or the CPU → how many; None: idle."""

    time_unix_ns: int
    backends: Mapping[str | None, int]


class DatabaseWatch:
    """Counts from entry to `activity`, and looks at what backends wait for from entry to exit.

    A server that refuses or goes away meanwhile leaves the activity unknown: it never ends a run. `own_cpu_s` is the
    CPU time that looking has taken the lab.
    """

    def __init__(self, server: Server, period_s: float = _PERIOD_S) -> None:
        self._server = server
        self._period_s = period_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="database-watch", daemon=True)
        self._looks: list[Look] = []
        self._begin: tuple[Counters, Counters] | None = None
        self._end_position: Counters | None = None
        self.own_cpu_s = 0.0

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

    def activity(self, operations: int, phases: Mapping[int, Span]) -> dict[str, Any] | None:
        """What happened since entry, during which so many operations were acknowledged; None where it is unknown.

        `phases` tells by number when each phase was. To be asked for when the target has ended: only then have all of
        its backends reported what they did.
        """
        after = _tried(self._server, _counters)
        if self._begin is None or self._end_position is None or after is None:
            return None
        before, position = self._begin
        counted = {**_difference(before, after), **_difference(position, self._end_position)}
        return activity_of(counted, self._looks, operations, phases)

    def _loop(self) -> None:
        try:
            with self._server.connect() as connection:
                while not self._done.wait(self._period_s):
                    self._looks.append(_look(connection))
                    self.own_cpu_s = time.thread_time()
        except (BakeoffError, psycopg.Error):
            return


def activity_of(
    counted: Counters, looks: Sequence[Look], operations: int, phases: Mapping[int, Span]
) -> dict[str, Any]:
    """The record of a run: totals, shares and what they come to for each operation; and what each phase looked like."""
    updated, hot = counted["rows_updated"], counted["rows_hot_updated"]
    return {
        **counted,
        "operations": operations,
        "wal_bytes_per_operation": counted["wal_bytes"] / operations if operations else None,
        "operations_per_commit": operations / counted["commits"] if counted["commits"] else None,
        "hot_update_share": hot / updated if updated else None,
        **_seen(looks),
        "phases": {
            str(number): _seen([look for look in looks if begin_ns <= look.time_unix_ns < end_ns])
            for number, (begin_ns, end_ns) in phases.items()
        },
    }


def _seen(looks: Sequence[Look]) -> dict[str, Any]:
    """How many backends were busy, and with what."""
    waits: Counter[str] = Counter()
    for look in looks:
        waits.update({at: backends for at, backends in look.backends.items() if at is not None})
    active = sum(waits.values())
    return {
        "looks": len(looks),
        "active_backends_mean": active / len(looks) if looks else None,
        "connections_peak": max((sum(look.backends.values()) for look in looks), default=None),
        "wait_shares": {at: count / active for at, count in waits.most_common()},
    }


def _difference(before: Counters, after: Counters) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def _look(connection: "Connection[Any]") -> Look:
    return Look(time.time_ns(), {row["at"]: row["backends"] for row in _rows(connection, "database_waits")})


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

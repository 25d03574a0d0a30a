"""PostgreSQL's own view of a run: what it counted, and what its backends waited for."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import msgspec
import psycopg
from psycopg.rows import TupleRow, class_row, dict_row

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.sampling.activity import DatabaseActivity, Sessions

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


@dataclass(frozen=True)
class _Busy:
    """A row of database_waits.sql."""

    at: str | None
    backends: int


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

    def activity(self, operations: int, phases: Mapping[int, Span]) -> DatabaseActivity | None:
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
) -> DatabaseActivity:
    """The record of a run: totals, shares and what they come to for each operation; and what each phase looked like."""
    updated, hot, commits = counted["rows_updated"], counted["rows_hot_updated"], counted["commits"]
    seen = _seen(looks)
    return replace(
        msgspec.convert(counted, DatabaseActivity),
        looks=seen.looks,
        active_backends_mean=seen.active_backends_mean,
        connections_peak=seen.connections_peak,
        wait_shares=seen.wait_shares,
        operations=operations,
        wal_bytes_per_operation=counted["wal_bytes"] / operations if operations else None,
        operations_per_commit=operations / commits if commits else None,
        hot_update_share=hot / updated if updated else None,
        phases={
            str(number): _seen([look for look in looks if begin_ns <= look.time_unix_ns < end_ns])
            for number, (begin_ns, end_ns) in phases.items()
        },
    )


def _seen(looks: Sequence[Look]) -> Sessions:
    """How many backends were busy, and with what."""
    waits: Counter[str] = Counter()
    for look in looks:
        waits.update({at: backends for at, backends in look.backends.items() if at is not None})
    active = sum(waits.values())
    return Sessions(
        looks=len(looks),
        active_backends_mean=active / len(looks) if looks else None,
        connections_peak=max((sum(look.backends.values()) for look in looks), default=None),
        wait_shares={at: count / active for at, count in waits.most_common()},
    )


def _difference(before: Counters, after: Counters) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


def _look(connection: "Connection[TupleRow]") -> Look:
    with connection.cursor(row_factory=class_row(_Busy)) as cursor:
        return Look(time.time_ns(), {row.at: row.backends for row in cursor.execute(_sql("database_waits"))})


def _counters(connection: "Connection[TupleRow]") -> Counters:
    return _only_row(connection, "database_counters")


def _position(connection: "Connection[TupleRow]") -> Counters:
    has_checkpointer = connection.info.server_version >= _FIRST_VERSION_WITH_CHECKPOINTER
    return _only_row(connection, "database_position" if has_checkpointer else "database_position_before_17")


def _only_row(connection: "Connection[TupleRow]", name: str) -> Counters:
    with connection.cursor(row_factory=dict_row) as cursor:
        (row,) = cursor.execute(_sql(name)).fetchall()
    return {name: int(value) for name, value in row.items()}


def _sql(name: str) -> bytes:
    return Path(__file__).with_name(f"{name}.sql").read_bytes()


def _tried(server: Server, ask: Callable[["Connection[TupleRow]"], _Answer]) -> _Answer | None:
    try:
        with server.connect() as connection:
            return ask(connection)
    except (BakeoffError, psycopg.Error):
        return None

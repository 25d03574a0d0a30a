"""PostgreSQL's own view of a run: what it counted, and what its backends waited for."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
import psycopg
from psycopg.rows import TupleRow, dict_row

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity, Sessions
from bakeoff.sampling.maintenance import seconds_within

if TYPE_CHECKING:
    from psycopg import Connection

_PERIOD_S = 0.5
_FIRST_VERSION_WITH_CHECKPOINTER = 170_000
_FIRST_VERSION_WITH_WAL_IO = 180_000

Counters = Mapping[str, int]
# Begin and end by the wall clock, Unix nanoseconds.
Span = tuple[int, int]

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Look:
    """Activity of sessions: a wait event or the CPU → how many; None: idle. And PostgreSQL's own work at that time."""

    time_unix_ns: int
    backends: Mapping[str | None, int]
    vacuums: int = 0
    checkpoints: int = 0


@dataclass(frozen=True)
class Mark:
    """Cumulative counts at the edge of a phase, and how large the tables are."""

    time_unix_ns: int
    table_bytes: int
    fsyncs: int
    fsync_ms: float


@dataclass(frozen=True)
class DatabaseCounts:
    """The counts and samples of a watch; `counted` is None where a server refused or disconnected meanwhile."""

    counted: Counters | None
    looks: Sequence[Look]
    marks: Sequence[Mark]
    vacuum_spans: Sequence[Span]
    period_s: float

    def activity(self, operations: int, phases: Mapping[int, Span]) -> DatabaseActivity | None:
        """The record of a run that acknowledged so many operations; `phases` holds by number when each phase was."""
        if self.counted is None:
            return None
        in_phases = {
            str(number): phase_activity(self.looks, self.marks, self.vacuum_spans, span, self.period_s)
            for number, span in phases.items()
        }
        return replace(activity_of(self.counted, self.looks, operations), phases=in_phases)


class DatabaseWatch:
    """Counts from entry to `counts`, and looks at what backends wait for from entry to exit.

    A server that refuses or goes away meanwhile leaves the activity unknown: it never ends a run. `own_cpu_s` is the
    CPU time that looking has taken the lab.
    """

    def __init__(self, server: Server, period_s: float = _PERIOD_S) -> None:
        self.server = server
        self._period_s = period_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="database-watch", daemon=True)
        self._looks: list[Look] = []
        self._marks: list[Mark] = []
        self._begin: tuple[Counters, Counters] | None = None
        self._end_position: Counters | None = None
        self.own_cpu_s = 0.0

    def __enter__(self) -> "DatabaseWatch":
        self._begin = _tried(self.server, lambda connection: (_counters(connection), _position(connection)))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._end_position = _tried(self.server, _position)

    def mark(self) -> None:
        """Notes the counts at the edge of a phase."""
        if self._begin is not None:
            mark = _tried(self.server, _mark)
            self._marks += [] if mark is None else [mark]

    def counts(self, vacuum_spans: Sequence[Span]) -> DatabaseCounts:
        """Everything since entry; the spans are when the lab itself vacuumed.

        To be asked for when the target has ended: only then have all of its backends reported what they did.
        """
        after, counted = _tried(self.server, _counters), None
        if self._begin is not None and self._end_position is not None and after is not None:
            counters, position = self._begin
            counted = {
                name: count - before[name]
                for before, now in ((counters, after), (position, self._end_position))
                for name, count in now.items()
            }
        return DatabaseCounts(counted, self._looks, self._marks, vacuum_spans, self._period_s)

    def _loop(self) -> None:
        try:
            with self.server.connect() as connection:
                while not self._done.wait(self._period_s):
                    self._looks.append(_look(connection))
                    self.own_cpu_s = time.thread_time()
        except (BakeoffError, psycopg.Error):
            return


def activity_of(counted: Counters, looks: Sequence[Look], operations: int) -> DatabaseActivity:
    """The record of a run: totals, shares and what they come to for each operation."""
    updated, hot, commits = counted["rows_updated"], counted["rows_hot_updated"], counted["commits"]
    return replace(
        msgspec.convert(counted, DatabaseActivity),
        **vars(_seen(looks)),
        operations=operations,
        wal_bytes_per_operation=counted["wal_bytes"] / operations if operations else None,
        operations_per_commit=operations / commits if commits else None,
        hot_update_share=hot / updated if updated else None,
    )


def phase_activity(
    looks: Sequence[Look], marks: Sequence[Mark], vacuums: Sequence[Span], span: Span, period_s: float
) -> PhaseActivity:
    """The activity of one phase: `vacuums` are the lab's own, autovacuums are among the samples, one each period."""
    begin_ns, end_ns = span
    inside = [look for look in looks if begin_ns <= look.time_unix_ns < end_ns]
    vacuum_s = seconds_within(vacuums, begin_ns, end_ns) + period_s * sum(look.vacuums > 0 for look in inside)
    first, last = _nearest(marks, begin_ns), _nearest(marks, end_ns)
    flushes = last.fsyncs - first.fsyncs if first and last else None
    flush_ms = last.fsync_ms - first.fsync_ms if first and last else 0.0
    return PhaseActivity(
        **vars(_seen(inside)),
        vacuum_s=vacuum_s if inside else None,
        checkpoint_s=period_s * sum(look.checkpoints > 0 for look in inside) if inside else None,
        table_bytes_before=first.table_bytes if first else None,
        table_bytes_after=last.table_bytes if last else None,
        fsyncs=flushes,
        fsync_ms=flush_ms / flushes if flushes and flush_ms > 0 else None,
    )


def _nearest(marks: Sequence[Mark], at_ns: int) -> Mark | None:
    return min(marks, key=lambda mark: abs(mark.time_unix_ns - at_ns), default=None)


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


def _look(connection: "Connection[TupleRow]") -> Look:
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_sql("database_waits")).fetchall()
    backends: Counter[str] = Counter()
    for row in rows:
        backends[row["kind"]] += row["backends"]
    sessions = {row["at"]: row["backends"] for row in rows if row["kind"] == "sessions"}
    return Look(time.time_ns(), sessions, backends["vacuum"], backends["checkpoint"])


def _mark(connection: "Connection[TupleRow]") -> Mark:
    has_wal_io = connection.info.server_version >= _FIRST_VERSION_WITH_WAL_IO
    row = connection.execute(_sql("database_mark" if has_wal_io else "database_mark_before_18")).fetchone()
    assert row is not None
    return Mark(time.time_ns(), int(row[0]), int(row[1]), float(row[2]))


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

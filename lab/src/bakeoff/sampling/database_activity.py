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
from bakeoff.postgres.durability import Written
from bakeoff.postgres.server import Server, own_sessions
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity, Sessions
from bakeoff.sampling.maintenance import seconds_within

if TYPE_CHECKING:
    from psycopg import Connection

_PERIOD_S = 0.5
_FIRST_VERSION_WITH_CHECKPOINTER = 170_000
_FIRST_VERSION_WITH_WAL_IO = 180_000
# A session under load reports its writes once a second.
_WRITES_WITHIN_S = 2.5

Counters = Mapping[str, int]
# Begin and end by the wall clock, Unix nanoseconds.
Span = tuple[int, int]

_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Look:
    """Activity of sessions: a wait event or the CPU → how many; None: idle. And PostgreSQL's own work at that time.

    `writing` sessions have written to the log within the last seconds; None where no session's writes are counted.
    """

    time_unix_ns: int
    backends: Mapping[str | None, int]
    vacuums: int = 0
    checkpoints: int = 0
    writing: int | None = None


@dataclass(frozen=True)
class PhaseEdge:
    """Cumulative counts at the edge of a phase, and how large the tables are.

    `commits` of this database include those that only read; `transactions` of the whole server are those that wrote.
    `client_flushes` are those of the write-ahead log by backends of clients, None before PostgreSQL 18.
    """

    time_unix_ns: int
    table_bytes: int
    fsyncs: int
    fsync_ms: float
    commits: int = 0
    transactions: int = 0
    rows: int = 0
    client_flushes: int | None = None
    autovacuums: int = 0
    wal_bytes: int = 0
    checkpoints: int = 0


@dataclass(frozen=True)
class DatabaseCounts:
    """The counts and samples of a watch; `counted` is None where a server refused or disconnected meanwhile."""

    counted: Counters | None
    looks: Sequence[Look]
    marks: Sequence[PhaseEdge]
    vacuum_spans: Sequence[Span]
    period_s: float
    buffers_bytes: int | None = None

    @property
    def written(self) -> list[Written]:
        """The writes between successive marks, as far as sessions were seen between them."""
        return written_between(self.marks, self.looks)

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
        self._marks: list[PhaseEdge] = []
        self._begin: Counters | None = None
        self._end_position: Counters | None = None
        self.own_cpu_s = 0.0

    def __enter__(self) -> "DatabaseWatch":
        self._begin = _tried(self.server, _totals)
        self.mark()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._done.is_set():
            self._done.set()
            self._thread.join()
            self._end_position = _tried(self.server, _position)

    def conclude(self, vacuum_spans: Sequence[Span]) -> DatabaseCounts:
        """The counts of a server that is about to be killed, which would forget them.

        They are read before all else, since the load goes on and its operations are not of the run.
        """
        totals = _tried(self.server, _totals)
        self.__exit__()
        return self._since_entry(totals, vacuum_spans)

    def mark(self) -> None:
        """Notes the counts at the edge of a phase."""
        if self._begin is not None:
            mark = _tried(self.server, _mark)
            self._marks += [] if mark is None else [mark]

    def counts(self, vacuum_spans: Sequence[Span]) -> DatabaseCounts:
        """Everything since entry; the spans are when the lab itself vacuumed.

        To be asked for when the target has ended: only then have all of its backends reported what they did.
        """
        counters, position = _tried(self.server, _counters), self._end_position
        totals = None if counters is None or position is None else {**counters, **position}
        return self._since_entry(totals, vacuum_spans)

    def _since_entry(self, totals: Counters | None, vacuum_spans: Sequence[Span]) -> DatabaseCounts:
        self.mark()
        begin = self._begin
        counted = None if begin is None or totals is None else {name: totals[name] - begin[name] for name in begin}
        buffers = _tried(self.server, _buffers_bytes)
        return DatabaseCounts(counted, self._looks, self._marks, vacuum_spans, self._period_s, buffers)

    def _loop(self) -> None:
        try:
            with self.server.connect() as connection:
                writers = _Writers()
                while not self._done.wait(self._period_s):
                    own = own_sessions(self.server)
                    writing = writers.seen(_written_by_session(connection, own), time.monotonic())
                    self._looks.append(replace(_look(connection, own), writing=writing))
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
    looks: Sequence[Look], marks: Sequence[PhaseEdge], vacuums: Sequence[Span], span: Span, period_s: float
) -> PhaseActivity:
    """The activity of one phase: `vacuums` are the lab's own, autovacuums are among the samples, one each period."""
    begin_ns, end_ns = span
    inside = [look for look in looks if begin_ns <= look.time_unix_ns < end_ns]
    vacuum_s = seconds_within(vacuums, begin_ns, end_ns) + period_s * sum(look.vacuums > 0 for look in inside)
    first, last = _nearest(marks, begin_ns), _nearest(marks, end_ns)
    flushes = last.fsyncs - first.fsyncs if first and last else None
    flush_ms = last.fsync_ms - first.fsync_ms if first and last else 0.0
    # A commit that only read has no number on the server.
    wrote = min(last.commits - first.commits, last.transactions - first.transactions) if first and last else None
    return PhaseActivity(
        **vars(_seen(inside)),
        vacuum_s=vacuum_s if inside else None,
        checkpoint_s=period_s * sum(look.checkpoints > 0 for look in inside) if inside else None,
        table_bytes_before=first.table_bytes if first else None,
        table_bytes_after=last.table_bytes if last else None,
        fsyncs=flushes,
        fsync_ms=flush_ms / flushes if flushes and flush_ms > 0 else None,
        commits=wrote,
        checkpoints=last.checkpoints - first.checkpoints if first and last else None,
        autovacuums=last.autovacuums - first.autovacuums if first and last else None,
        wal_bytes=last.wal_bytes - first.wal_bytes if first and last else None,
    )


def _nearest(marks: Sequence[PhaseEdge], at_ns: int) -> PhaseEdge | None:
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


def written_between(marks: Sequence[PhaseEdge], looks: Sequence[Look]) -> list[Written]:
    """The writes between successive marks; a time in which no session was seen belongs to the one before it."""
    written: list[Written] = []
    first = marks[0] if marks else None
    for last in marks[1:]:
        assert first is not None
        seen = [each.writing for each in looks if first.time_unix_ns <= each.time_unix_ns < last.time_unix_ns]
        writing = [each for each in seen if each is not None]
        if first.client_flushes is None or last.client_flushes is None:
            return []
        own = Written(
            last.commits - first.commits,
            last.transactions - first.transactions,
            last.rows - first.rows,
            max(writing, default=0),
            last.client_flushes - first.client_flushes,
        )
        first = last
        if writing:
            written.append(own)
        elif written:
            written[-1] = written[-1].followed_by(own)
    return written


class _Writers:
    """The sessions that are writing, from how much of the log each has written so far."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[int, float]] = {}

    def seen(self, written: Mapping[int, int] | None, now_s: float) -> int | None:
        """How many of the sessions that are open now have written lately; a new one counts from its first moment."""
        if written is None:
            return None
        self._known = {
            session: known if (known := self._known.get(session)) is not None and known[0] == count else (count, now_s)
            for session, count in written.items()
        }
        return sum(now_s - at_s <= _WRITES_WITHIN_S for _, at_s in self._known.values())


def _written_by_session(connection: "Connection[TupleRow]", own: Sequence[int]) -> dict[int, int] | None:
    """Bytes of the log that each session of a client has written so far; None before version 18."""
    if connection.info.server_version < _FIRST_VERSION_WITH_WAL_IO:
        return None
    rows = connection.execute(_sql("database_writers"), [list(own)]).fetchall()
    return {int(session): int(written or 0) for session, written in rows}


def _look(connection: "Connection[TupleRow]", own: Sequence[int]) -> Look:
    with connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(_sql("database_waits"), [list(own)]).fetchall()
    backends: Counter[str] = Counter()
    for row in rows:
        backends[row["kind"]] += row["backends"]
    sessions = {row["at"]: row["backends"] for row in rows if row["kind"] == "sessions"}
    return Look(time.time_ns(), sessions, backends["vacuum"], backends["checkpoint"])


def _mark(connection: "Connection[TupleRow]") -> PhaseEdge:
    has_wal_io = connection.info.server_version >= _FIRST_VERSION_WITH_WAL_IO
    row = connection.execute(_sql("database_mark" if has_wal_io else "database_mark_before_18")).fetchone()
    assert row is not None
    table_bytes, fsyncs, fsync_ms, *counts = row
    position = _position(connection)
    return PhaseEdge(time.time_ns(), int(table_bytes), int(fsyncs), float(fsync_ms), *counts, **position)


def _buffers_bytes(connection: "Connection[TupleRow]") -> int:
    row = connection.execute("SELECT pg_size_bytes(current_setting('shared_buffers'))").fetchone()
    assert row is not None
    return int(row[0])


def _totals(connection: "Connection[TupleRow]") -> Counters:
    return {**_counters(connection), **_position(connection)}


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

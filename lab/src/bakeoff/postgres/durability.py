"""Whether what a server acknowledged would survive a crash: settings, persistence of tables, and flushes counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bakeoff.postgres.server import Server

SETTINGS = ("fsync", "synchronous_commit", "full_page_writes")

_FIRST_VERSION_THAT_COUNTS_FLUSHES = 180_000
# The WAL writer also flushes, so that few commits prove nothing.
_FEWEST_COMMITS = 500
# One flush covers every commit that waits for it: at most one of each connection. A tenth of the flushes that this
# leaves is far below what any server does whose commits wait, and far above what is left where they do not.
_LEAST_SHARE = 0.1


@dataclass(frozen=True)
class WalFlushes:
    """How often the write-ahead log has been forced to disk so far, by backends of clients and by all processes."""

    by_clients: int
    by_all: int


@dataclass(frozen=True)
class Written:
    """A run's work on a database: commits of any kind, rows written, and the most connections at once."""

    commits: int
    rows: int
    connections: int

    @property
    def fewest_flushes(self) -> float:
        """How many flushes durable commits need at the very least, where neither reads nor rows outnumber commits."""
        return min(self.commits, self.rows) / max(1, self.connections)


def is_durable(name: str, value: str) -> bool:
    """Whether a value of one of SETTINGS keeps commits through a crash. All but one of `synchronous_commit` do."""
    return value != "off" if name == "synchronous_commit" else value == "on"


def problems_of(server: Server, elsewhere: Path | None = None) -> list[str]:
    """Why commits might not survive a crash, one sentence each; empty where settings and tables are durable.

    `elsewhere` is the file of a query that asks other servers, where tables are spread over such.
    """
    with server.connect() as connection:
        settings = connection.execute(_statement("durability_settings")).fetchall()
        tables = connection.execute(_statement("unlogged_tables")).fetchall()
        others = [] if elsewhere is None else connection.execute(elsewhere.read_bytes()).fetchall()
    unlogged = (f"The table {name} is unlogged: a crash empties it." for (name,) in tables)
    return [*_setting_problems(settings), *unlogged, *(str(problem) for (problem,) in others)]


def wal_flushes(server: Server) -> WalFlushes | None:
    """The counts so far; None for a server older than 18, which does not count flushes by process."""
    with server.connect() as connection:
        if connection.info.server_version < _FIRST_VERSION_THAT_COUNTS_FLUSHES:
            return None
        row = connection.execute(_statement("wal_flushes")).fetchone()
    assert row is not None
    return WalFlushes(int(row[0]), int(row[1]))


def flush_problem(before: WalFlushes, after: WalFlushes, written: Written) -> str | None:
    """Why commits cannot have waited for the disk, or None.

    A session may switch `synchronous_commit` off for itself, which no setting shows: its commits are flushed by the
    WAL writer later, and not by the session's own backend.
    """
    flushes = after.by_clients - before.by_clients
    if min(written.commits, written.rows) < _FEWEST_COMMITS or flushes >= _LEAST_SHARE * written.fewest_flushes:
        return None
    return (
        f"{written.commits:,} commits with {written.rows:,} written rows over {written.connections} connections forced "
        f"the write-ahead log to disk only {flushes:,} times: the target's sessions do not wait for the disk."
    )


def _setting_problems(settings: list[tuple[str, str, str]]) -> Iterator[str]:
    for name, value, place in settings:
        if not is_durable(name, value):
            yield f"{name} is {value} for {place}: acknowledged commits may be lost."


def _statement(name: str) -> bytes:
    return Path(__file__).with_name(f"{name}.sql").read_bytes()

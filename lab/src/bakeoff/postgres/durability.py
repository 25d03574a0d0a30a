"""Whether what a server acknowledged would survive a crash: settings, persistence of tables, and flushes counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bakeoff.postgres.relations import unlogged
from bakeoff.postgres.server import Server

SETTINGS = ("fsync", "synchronous_commit", "full_page_writes")

# The WAL writer also flushes, so that few commits prove nothing.
_FEWEST_COMMITS = 500
# One flush covers every commit that waits for it: at most one of each writing session. In practice it covers about half
# of them, since the others commit while it lasts; half of the least leaves room for sessions that were seen too few.
_LEAST_SHARE = 0.5


@dataclass(frozen=True)
class Written:
    """The writes of a time: commits of this database, transactions that wrote, rows, and flushes of the log by clients.

    `writing` is the highest number of sessions that wrote at the same time.
    """

    commits: int
    transactions: int
    rows: int
    writing: int
    flushes: int

    @property
    def commits_that_wrote(self) -> int:
        """At most so many: a commit that only read has no transaction number, and one that wrote has a row."""
        return min(self.commits, self.transactions, self.rows)

    @property
    def fewest_flushes(self) -> float:
        """How many flushes durable commits need at the very least: one for each writing session's commit at once."""
        return self.commits_that_wrote / max(1, self.writing)

    def followed_by(self, later: "Written") -> "Written":
        return Written(
            self.commits + later.commits,
            self.transactions + later.transactions,
            self.rows + later.rows,
            max(self.writing, later.writing),
            self.flushes + later.flushes,
        )


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
    emptied = (unlogged(name) for (name,) in tables)
    return [*_setting_problems(settings), *emptied, *(str(problem) for (problem,) in others)]


def flush_problem(written: Written) -> str | None:
    """Why commits of a time cannot have waited for the disk, or None.

    A session may switch `synchronous_commit` off for itself, which no setting shows: its commits are flushed by the
    WAL writer later, and not by the session's own backend.
    """
    commits = written.commits_that_wrote
    if commits < _FEWEST_COMMITS or written.flushes >= _LEAST_SHARE * written.fewest_flushes:
        return None
    return (
        f"{commits:,} commits that wrote {written.rows:,} rows over {written.writing} writing sessions forced the "
        f"write-ahead log to disk only {written.flushes:,} times: the target's sessions do not wait for the disk."
    )


def _setting_problems(settings: list[tuple[str, str, str]]) -> Iterator[str]:
    for name, value, place in settings:
        if not is_durable(name, value):
            yield f"{name} is {value} for {place}: acknowledged commits may be lost."


def _statement(name: str) -> bytes:
    return Path(__file__).with_name(f"{name}.sql").read_bytes()

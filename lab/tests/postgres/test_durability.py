"""A server that would lose acknowledged commits in a crash is found out, wherever durability was switched off."""

import contextlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from throwaway_server import throwaway_server

from bakeoff.postgres.durability import Written, flush_problem, is_durable, problems_of
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.sampling.database_activity import DatabaseWatch, written_between

pytestmark = pytest.mark.end_to_end

CONNECTIONS = 4
COMMITS = 1000
NOTHING_YET = Written(0, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        running.execute_script("CREATE TABLE kept (n bigint)")
        running.execute_script("CREATE TABLE parted (n bigint) PARTITION BY HASH (n)")
        yield running


def test_a_server_as_the_lab_starts_it_is_durable(server: Server) -> None:
    assert problems_of(server) == []


@pytest.mark.parametrize(
    ("change", "undo", "words"),
    [
        (
            "ALTER ROLE postgres SET synchronous_commit = off",
            "ALTER ROLE postgres RESET synchronous_commit",
            "synchronous_commit is off for role postgres",
        ),
        (
            "ALTER DATABASE application SET synchronous_commit = off",
            "ALTER DATABASE application RESET synchronous_commit",
            "synchronous_commit is off for every role in database application",
        ),
        ("ALTER TABLE kept SET UNLOGGED", "ALTER TABLE kept SET LOGGED", "public.kept is unlogged"),
        (
            "CREATE UNLOGGED TABLE cheat PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
            "DROP TABLE cheat",
            "public.cheat is unlogged",
        ),
    ],
)
def test_what_switches_durability_off_is_named(server: Server, change: str, undo: str, words: str) -> None:
    server.execute_script(change)
    try:
        assert any(words in problem for problem in problems_of(server))
    finally:
        # The session that asks has the overrides itself; a new one undoes them.
        server.execute_script(undo)
    assert problems_of(server) == []


def test_other_servers_are_asked_by_a_query_of_the_overlays_own(server: Server, tmp_path: Path) -> None:
    query = tmp_path / "elsewhere.sql"
    query.write_text("SELECT name FROM (VALUES ('fsync is off on node 2.')) AS found (name)", "utf-8")
    assert problems_of(server, query) == ["fsync is off on node 2."]
    query.write_text("SELECT 'no reason' WHERE false", "utf-8")
    assert problems_of(server, query) == []


Commit = Callable[[psycopg.Connection, int], None]


def one_row(connection: psycopg.Connection, number: int) -> None:
    connection.execute("INSERT INTO kept VALUES (%s)", [number])


def not_durable(connection: psycopg.Connection, number: int) -> None:
    connection.execute("SET synchronous_commit = off")
    one_row(connection, number)


def every_hundredth_durable(connection: psycopg.Connection, number: int) -> None:
    connection.execute(sql.SQL("SET synchronous_commit = {}").format("on" if number % 100 == 0 else "off"))
    one_row(connection, number)


def group_commit(connection: psycopg.Connection, _number: int) -> None:
    connection.execute("INSERT INTO kept SELECT n FROM generate_series(1, 400) AS n")


def mostly_reads(connection: psycopg.Connection, number: int) -> None:
    connection.execute("SELECT count(*) FROM parted")
    if number % 10 == 0:
        group_commit(connection, number)


@pytest.mark.parametrize(
    ("commit", "idle", "is_honest"),
    [
        (one_row, 0, True),
        (group_commit, 0, True),
        (mostly_reads, 0, True),
        (not_durable, 0, False),
        (every_hundredth_durable, 0, False),
        (every_hundredth_durable, 90, False),
    ],
)
def test_sessions_that_do_not_wait_for_the_disk_are_found_by_their_flushes(
    server: Server, commit: Commit, idle: int, is_honest: bool
) -> None:
    written = written_by(server, commit, idle)
    assert (flush_problem(written) is None) == is_honest, written


@pytest.mark.parametrize("method", ["open_datasync", "open_sync"])
@pytest.mark.parametrize(("commit", "is_honest"), [(one_row, True), (not_durable, False)])
def test_a_log_that_is_written_synchronously_counts_no_fsync(
    server: Server, method: str, commit: Commit, is_honest: bool
) -> None:
    server.execute_script(f"ALTER SYSTEM SET wal_sync_method = {method}")
    server.execute_script("SELECT pg_reload_conf()")
    try:
        written = written_by(server, commit)
    finally:
        server.execute_script("ALTER SYSTEM RESET wal_sync_method")
        server.execute_script("SELECT pg_reload_conf()")
    assert (flush_problem(written) is None) == is_honest, written


def written_by(server: Server, commit: Commit, idle: int = 0) -> Written:
    """What sessions write once the lab has seen which of them do; all are named like the lab's own."""
    stop = threading.Event()

    def session() -> None:
        with psycopg.connect(server.url, autocommit=True, application_name="bakeoff") as connection:
            for number in itertools.count():
                if stop.is_set():
                    return
                commit(connection, number)

    with contextlib.ExitStack() as stack:
        for _ in range(idle):
            stack.enter_context(psycopg.connect(server.url, autocommit=True, application_name="bakeoff"))
        watch = stack.enter_context(DatabaseWatch(server, period_s=0.05))
        if watch._marks[0].client_flushes is None:
            pytest.skip("this server counts no flushes by process")
        sessions = [threading.Thread(target=session) for _ in range(CONNECTIONS)]
        for each in sessions:
            each.start()
        try:
            until(lambda: watch._looks and watch._looks[-1].writing == CONNECTIONS)
            watch.mark()
            first = watch._marks[-1]

            def written() -> Written:
                watch.mark()
                return next(iter(written_between([first, watch._marks[-1]], watch._looks)), NOTHING_YET)

            until(lambda: written().commits_that_wrote >= COMMITS)
            return written()
        finally:
            stop.set()
            for each in sessions:
                each.join()


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("written", "suspicious"),
    [
        (Written(10_000, 10_000, 10_000, 10, 0), True),
        (Written(10_000, 10_000, 10_000, 10, 499), True),
        (Written(10_000, 10_000, 10_000, 10, 500), False),
        # Large batches: few commits of many rows.
        (Written(600, 600, 1_000_000, 2, 300), False),
        # Mostly reads, with hardly any rows, or with some large batches.
        (Written(1_000_000, 100, 100, 10, 0), False),
        (Written(1_000_000, 1_000, 400_000, 2, 600), False),
        # Another database of the server writes too.
        (Written(600, 1_000_000, 600, 2, 300), False),
        # Too few.
        (Written(100, 100, 100, 10, 0), False),
    ],
)
def test_flushes_against_commits(written: Written, suspicious: bool) -> None:
    assert (flush_problem(written) is not None) == suspicious


@pytest.mark.parametrize(
    ("name", "value", "durable"),
    [
        ("fsync", "on", True),
        ("fsync", "off", False),
        ("full_page_writes", "off", False),
        ("synchronous_commit", "off", False),
        ("synchronous_commit", "local", True),
        ("synchronous_commit", "remote_apply", True),
    ],
)
def test_values(name: str, value: str, durable: bool) -> None:
    assert is_durable(name, value) == durable

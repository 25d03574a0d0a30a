"""A server that would lose acknowledged commits in a crash is found out, wherever durability was switched off."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg import sql
from throwaway_server import throwaway_server

from bakeoff.postgres.durability import WalFlushes, Written, flush_problem, is_durable, problems_of, wal_flushes
from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

CONNECTIONS = 4
COMMITS = 1200


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


@pytest.mark.parametrize("value", ["on", "off"])
def test_sessions_that_do_not_wait_for_the_disk_are_found_by_their_flushes(server: Server, value: str) -> None:
    before = wal_flushes(server)
    if before is None:
        pytest.skip("this server counts no flushes by process")
    _commit_rows(server, value)
    after = wal_flushes(server)
    assert after is not None
    problem = flush_problem(before, after, Written(COMMITS, COMMITS, CONNECTIONS))
    assert (problem is None) == (value == "on"), (before, after)


def _commit_rows(server: Server, synchronous_commit: str) -> None:
    def session() -> None:
        with server.connect() as connection:
            connection.execute(sql.SQL("SET synchronous_commit = {}").format(sql.Identifier(synchronous_commit)))
            for number in range(COMMITS // CONNECTIONS):
                connection.execute("INSERT INTO kept VALUES (%s)", [number])

    sessions = [threading.Thread(target=session) for _ in range(CONNECTIONS)]
    for each in sessions:
        each.start()
    for each in sessions:
        each.join()
    # Backends report what they did when they end, which a session's last reply does not wait for.
    with server.connect() as connection, suppress(StopIteration):
        while connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchone():
            continue


@pytest.mark.parametrize(
    ("flushes", "written", "suspicious"),
    [
        (0, Written(10_000, 10_000, 10), True),
        (50, Written(10_000, 10_000, 10), True),
        (1_000, Written(10_000, 10_000, 10), False),
        # Large batches: few commits of many rows.
        (300, Written(600, 1_000_000, 2), False),
        # Mostly reads: hardly any rows.
        (0, Written(1_000_000, 100, 10), False),
        # Too few.
        (0, Written(100, 100, 10), False),
    ],
)
def test_flushes_against_commits(flushes: int, written: Written, suspicious: bool) -> None:
    problem = flush_problem(WalFlushes(5, 50), WalFlushes(5 + flushes, 90), written)
    assert (problem is not None) == suspicious


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

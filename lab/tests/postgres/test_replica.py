"""A replica of a real server: it shows what is acknowledged, commits wait for it, and the server forgets it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from throwaway_server import throwaway_server

from bakeoff.errors import BakeoffError
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import Installation, find_installation
from bakeoff.postgres.durability import problems_of
from bakeoff.postgres.relay import DatabaseRelay
from bakeoff.postgres.replica import replicated, transactions_of
from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        running.execute_script("CREATE TABLE notes (n int)")
        yield running


@contextmanager
def installed(project: Project, server: Server) -> Iterator[Installation]:
    """The programs, and a folder for the replica of this test alone."""
    found = find_installation(project)
    folder = server.data_directory()
    assert folder is not None
    # Beside the folder of the server, where its account can go.
    data = folder.parent / "beside"
    data.mkdir()
    if found.user is not None and found.group is not None:
        os.chown(data, found.user, found.group)
    try:
        yield replace(found, data=data)
    finally:
        shutil.rmtree(data)


def shown(server: Server, setting: str) -> str:
    with server.connect() as connection:
        row = connection.execute(f"SHOW {setting}".encode()).fetchone()
    assert row is not None
    return str(row[0])


def read_by_targets(server: Server) -> Server:
    """The rows that a target sees when it reads from the replica."""
    assert server.read_url is not None
    return Server(server.read_url, None, embedded=True)


def test_what_is_acknowledged_is_on_the_replica_at_once(project: Project, server: Server, tmp_path: Path) -> None:
    with installed(project, server) as installation, replicated(server, installation, tmp_path / "log") as replica:
        reading = read_by_targets(replica.server)
        assert replica.server.url == server.url
        with server.connect() as writes, reading.connect() as reads:
            assert shown(server, "synchronous_commit") == "remote_apply"
            for number in range(300):
                writes.execute("INSERT INTO notes VALUES (%s)", [number])
                row = reads.execute("SELECT max(n) FROM notes").fetchone()
                assert row == (number,)
            with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                reads.execute("INSERT INTO notes VALUES (0)")
        assert problems_of(server) == []
        assert replica.failure is None
        assert transactions_of(replica) > 0
        pid = replica.process.pid
    # Commits wait for no replica any more, and nothing is left.
    assert (shown(server, "synchronous_standby_names"), shown(server, "synchronous_commit")) == ("", "on")
    server.execute_script("TRUNCATE notes")
    assert not Path(f"/proc/{pid}").exists()
    with pytest.raises(BakeoffError, match="cannot be reached"), reading.connect():
        pass


def test_a_server_behind_a_relay_is_followed_past_it(project: Project, server: Server, tmp_path: Path) -> None:
    with (
        DatabaseRelay(server) as relay,
        installed(project, server) as installation,
        replicated(relay.server, installation, tmp_path / "log") as replica,
    ):
        relay.cut()
        server.execute_script("INSERT INTO notes VALUES (1)")
        with read_by_targets(replica.server).connect() as reads:
            assert reads.execute("SELECT count(*) FROM notes").fetchone() == (1,)
        relay.restore()
    server.execute_script("TRUNCATE notes")


def test_the_next_start_of_a_server_forgets_a_replica(project: Project, tmp_path: Path) -> None:
    with throwaway_server(project, tmp_path) as start:
        with start() as first:
            folder = first.data_directory()
            assert folder is not None
            # What a lab that was killed leaves.
            embedded.write_settings(folder, ["synchronous_standby_names = 'replica'"])
        with start() as second:
            assert shown(second, "synchronous_standby_names") == ""


def test_a_copy_that_fails_says_so_and_leaves_the_server_as_it_was(
    project: Project, server: Server, tmp_path: Path
) -> None:
    with installed(project, server) as installation:
        broken = replace(installation, programs=installation.data / "programs")
        broken.programs.mkdir(mode=0o755)
        program = broken.programs / "pg_basebackup"
        program.write_text("#!/bin/sh\necho no space left\nexit 1\n", "utf-8")
        program.chmod(0o755)
        with (
            pytest.raises(BakeoffError, match=r"(?s)could not be copied.*no space left"),
            replicated(server, broken, tmp_path / "log"),
        ):
            pass
    assert shown(server, "synchronous_standby_names") == ""


def test_only_the_embedded_server_has_a_replica(project: Project, server: Server, tmp_path: Path) -> None:
    own = replace(server, embedded=False)
    with (
        pytest.raises(BakeoffError, match="follows the embedded PostgreSQL alone"),
        replicated(own, find_installation(project), tmp_path / "log"),
    ):
        pass

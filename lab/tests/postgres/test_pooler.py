"""PgBouncer before a server: which one is accepted, and that its clients reach the database through it alone."""

import shutil
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from throwaway_server import throwaway_server

from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import find_installation
from bakeoff.postgres.pooler import find_pgbouncer, pooled
from bakeoff.postgres.server import Server
from bakeoff.project import Project

HERE = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


def install(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of this name that only knows its version."""
    program = folder / "pgbouncer"
    program.write_text(f"#!/bin/sh\necho '{version}'\n", "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder))


def test_without_pgbouncer_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)
    with pytest.raises(BakeoffError, match="apt-get install pgbouncer"):
        find_pgbouncer("session")


def test_transactions_need_a_version_that_keeps_prepared_statements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "PgBouncer 1.18.0", monkeypatch)
    assert not find_pgbouncer("session").prepares
    with pytest.raises(BakeoffError, match=r"1\.21 or newer.* is 1\.18.*--pgbouncer session"):
        find_pgbouncer("transaction")
    install(tmp_path, "PgBouncer 1.21.0", monkeypatch)
    assert find_pgbouncer("transaction").prepares


def test_what_names_no_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "another program", monkeypatch)
    with pytest.raises(BakeoffError, match="does not name a version"):
        find_pgbouncer("session")


@pytest.mark.end_to_end
@pytest.mark.skipif(HERE is None, reason="pgbouncer is not installed")
def test_clients_share_its_connections_and_the_lab_has_its_own(project: Project, tmp_path: Path) -> None:
    with throwaway_server(project, tmp_path) as start, start() as database:
        clients_share_its_connections(project, database, tmp_path)


def clients_share_its_connections(project: Project, database: Server, tmp_path: Path) -> None:
    with pooled(database, "session", 1, tmp_path / "log.txt", find_installation(project)) as pooler:
        assert pooler.server.url == database.url
        through = Server(pooler.server.targets_url or "", None, embedded=True)
        assert urlsplit(through.url).port != urlsplit(database.url).port
        backends = []
        for _ in range(2):
            with through.connect() as connection:
                row = connection.execute("SELECT pg_backend_pid()").fetchone()
                assert row is not None
                backends.append(row[0])
        assert backends[0] == backends[1]
        wrong = through.url.replace(":" + (urlsplit(through.url).password or "") + "@", ":wrong@")
        with pytest.raises(BakeoffError, match="cannot be reached"), Server(wrong, None, embedded=True).connect():
            pass
        assert pooler.failure is None
    with pytest.raises(BakeoffError, match="cannot be reached"), through.connect():
        pass

"""A PostgreSQL that is installed on this machine, really started: as the embedded one, but for its version."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import EMBEDDED, SYSTEM, Installation, find_installation
from bakeoff.postgres.durability import problems_of
from bakeoff.postgres.replica import replicated
from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

KIND = embedded.InstanceKind("trial", "trial_data", ("shared_buffers=16MB", "max_wal_size=64MB", "min_wal_size=32MB"))


@pytest.fixture(scope="module")
def installation(project: Project) -> Iterator[Installation]:
    try:
        found = find_installation(project, SYSTEM)
    except BakeoffError as error:
        pytest.skip(error.message)
    own = replace(found, data=found.data / f"test-{os.getpid()}")
    own.data.mkdir(mode=0o755)
    own.give(own.data)
    yield own
    shutil.rmtree(own.data)


def settings_of(server: Server) -> dict[str, str]:
    """Those of the published file, and whether pages have checksums."""
    with server.connect() as connection:
        rows = connection.execute(
            "SELECT name, setting FROM pg_settings WHERE sourcefile IS NOT NULL OR name = 'data_checksums'"
        )
        return {str(name): str(value) for name, value in rows}


def test_it_has_the_settings_and_the_durability_of_the_embedded_one(
    project: Project, installation: Installation, tmp_path: Path
) -> None:
    packaged = replace(installation, programs=find_installation(project, EMBEDDED).programs)
    packaged = replace(packaged, data=installation.data / "packaged")
    packaged.data.mkdir(mode=0o755)
    packaged.give(packaged.data)
    with embedded.Instance(packaged, KIND, tmp_path) as server:
        expected = settings_of(server)
    with embedded.Instance(installation, KIND, tmp_path) as server:
        assert settings_of(server) == expected
        assert len(expected) > 20
        assert problems_of(server) == []
        assert server.embedded
        assert server.targets_url is not None


def test_what_is_committed_survives_a_crash(installation: Installation, tmp_path: Path) -> None:
    database = embedded.Instance(installation, KIND, tmp_path)
    try:
        server = database.start()
        server.execute_script("CREATE TABLE survived (n int); INSERT INTO survived VALUES (1);")
        database.crash()
        with database.start().connect() as connection:
            assert connection.execute("SELECT n FROM survived").fetchall() == [(1,)]
    finally:
        database.stop()


def test_it_has_a_replica(installation: Installation, tmp_path: Path) -> None:
    with embedded.Instance(installation, KIND, tmp_path / "logs") as server:
        server.execute_script("CREATE TABLE notes (n int)")
        with replicated(server, installation, tmp_path / "log") as replica:
            server.execute_script("INSERT INTO notes VALUES (1)")
            reads = Server(replica.server.read_url or "", None, embedded=True)
            with reads.connect() as connection:
                assert connection.execute("SELECT n FROM notes").fetchall() == [(1,)]

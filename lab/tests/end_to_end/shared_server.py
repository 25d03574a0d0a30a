"""A PostgreSQL that the tests of a module share, to lock and to starve."""

from collections.abc import Iterator

import pytest
from throwaway_server import throwaway_server

from bakeoff.postgres.server import Server
from bakeoff.project import Project


@pytest.fixture(scope="module")
def server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        yield running

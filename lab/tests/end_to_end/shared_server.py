"""A PostgreSQL that tests share, to lock and to starve; what a test needs of it empty, it empties first."""

from collections.abc import Iterator

import pytest
from throwaway_server import throwaway_server

from bakeoff.postgres.server import Server
from bakeoff.project import Project


@pytest.fixture(scope="session")
def common_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests of a worker."""
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        yield running


@pytest.fixture(scope="session")
def server(common_server: Server) -> Server:
    """The same, unless a module that kills or changes its server starts one of its own."""
    return common_server

"""A metrics database with an up-to-date schema, emptied for each test that stores runs."""

from collections.abc import Iterator

import pytest
from throwaway_server import throwaway_server

from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.storage.metrics_store import MetricsStore


@pytest.fixture(scope="module")
def history_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a module."""
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start, start() as running:
        MetricsStore(running).migrate()
        yield running


@pytest.fixture
def store(history_server: Server) -> MetricsStore:
    """An empty history: the next run and the next comparison are the first."""
    history_server.execute_script("TRUNCATE comparisons, calibrations RESTART IDENTITY CASCADE")
    history_server.execute_script("ALTER SEQUENCE test_runs_id_seq RESTART")
    return MetricsStore(history_server)

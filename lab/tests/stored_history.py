"""A metrics database with an up-to-date schema, emptied for each test that stores runs."""

import pytest

from bakeoff.postgres.server import Server
from bakeoff.storage.metrics_store import MetricsStore


@pytest.fixture(scope="session")
def history_server(common_server: Server) -> Server:
    """One database for all tests of a worker."""
    common_server.execute_script("CREATE DATABASE history")
    history = common_server.in_database("history")
    MetricsStore(history).migrate()
    return history


@pytest.fixture
def store(history_server: Server) -> MetricsStore:
    """An empty history: the next run and the next comparison are the first."""
    history_server.execute_script("TRUNCATE comparisons, calibrations RESTART IDENTITY CASCADE")
    history_server.execute_script("ALTER SEQUENCE test_runs_id_seq RESTART")
    return MetricsStore(history_server)

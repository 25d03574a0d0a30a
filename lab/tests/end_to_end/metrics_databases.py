"""A metrics database and a folder of results for each test that calls the command line."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from bakeoff.postgres.server import Server


@pytest.fixture
def database(server: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """An empty database of the test's own."""
    name = f"d{abs(hash(request.node.name))}"
    server.execute_script(f"CREATE DATABASE {name}")
    yield server.in_database(name)
    server.execute_script(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def metrics(database: Server) -> dict[str, str]:
    """The variable that makes a database the lab's metrics database."""
    return {"METRICS_DATABASE_URL": database.url}


def stored(database: Server, query: str) -> list[tuple[object, ...]]:
    """The rows of a query."""
    with psycopg.connect(database.url) as connection:
        return connection.execute(query.encode()).fetchall()

"""Metrics databases of a module's own, on the server that `./bakeoff test` gives."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bakeoff.postgres.server import Server
from bakeoff.storage.metrics_store import MetricsStore

_URL = "TEST_DATABASE_URL"


@contextmanager
def metrics_database() -> Iterator[Server]:
    """A metrics database without comparisons."""
    if _URL not in os.environ:
        pytest.skip(f"./bakeoff test gives {_URL}")
    given = Server(os.environ[_URL], None, embedded=False)
    name = f"metrics_{secrets.token_hex(4)}"
    with given.connect() as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    server = given.in_database(name)
    MetricsStore(server).migrate()
    yield server
    with given.connect() as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())

"""How tests are spread over the workers of pytest-xdist, which is one for each core in `./bakeoff test`."""

import os
import secrets

import pytest

from bakeoff.postgres.server import Server

_URL = "TEST_DATABASE_URL"

# These start ./bakeoff in this very checkout, in which one lab works at a time.
_USES_THE_CHECKOUT = "bakeoff_process"


# Before xdist writes the groups into the names of the tests.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file share servers, so they stay together; what takes longest begins first."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: _rank(item))


def _group(item: pytest.Item) -> str:
    if _USES_THE_CHECKOUT in item.path.read_text("utf-8") and item.get_closest_marker("end_to_end"):
        return "checkout"
    return item.path.stem


def _rank(item: pytest.Item) -> int:
    if item.get_closest_marker("end_to_end") is None:
        return 2
    return 0 if _group(item) == "checkout" else 1


def pytest_configure(config: pytest.Config) -> None:
    """Each worker gets a database of its own on the server that all share."""
    config.addinivalue_line("markers", "xdist_group(name): the tests that one worker runs, where there are several")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or _URL not in os.environ:
        return
    shared = Server(os.environ[_URL], None, embedded=False)
    name = f"{worker}_{secrets.token_hex(4)}"
    shared.execute_script(f"CREATE DATABASE {name}")
    os.environ[_URL] = shared.in_database(name).url

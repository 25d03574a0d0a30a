"""How tests are spread over the workers of pytest-xdist, which is one for each core in `./bakeoff test`."""

import os
import secrets
from functools import lru_cache
from pathlib import Path

import pytest

from bakeoff.postgres.server import Server

_URL = "TEST_DATABASE_URL"

# Tests that work in this very checkout, in which one lab works at a time: they start ./bakeoff, or say so themselves.
_CHECKOUT = "checkout"
_STARTS_THE_LAB = "bakeoff_process"
# The group of modules that start many targets together and wait for minutes: one after another, beside other tests.
ALL_AT_ONCE = "all-at-once"
# Parameters of tests whose value is a target, or begins with one.
_TARGET_PARAMETERS = ("started", "started_narrow", "secured", "name")


# Before xdist writes the groups into the names of the tests.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one target share its process, and those of one file their servers, so they stay together.

    Groups that take longest begin first. A module may name its group itself, as `xdist_group`.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(_group(item)))
    ranks = {item: _rank(item) for item in items}
    items.sort(key=lambda item: ranks[item])


def _group(item: pytest.Item) -> str:
    if item.get_closest_marker("end_to_end") is None:
        return item.path.stem
    if _starts_the_lab(item.path):
        return _CHECKOUT
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    found = next((parameters[name] for name in _TARGET_PARAMETERS if name in parameters), None)
    if found is None:
        return item.path.stem
    return str(found[0] if isinstance(found, tuple) else found)


@lru_cache
def _starts_the_lab(path: Path) -> bool:
    return _STARTS_THE_LAB in path.read_text("utf-8")


def _rank(item: pytest.Item) -> tuple[bool, bool, bool]:
    """The longest tests are lowest: the checkout's, then modules that name their group, then other real ones."""
    mark = item.get_closest_marker("xdist_group")
    assert mark is not None
    is_checkout = mark.args[0] == _CHECKOUT
    is_real = item.get_closest_marker("end_to_end") is not None
    return not is_checkout, not (is_real and mark.args[0] == ALL_AT_ONCE), not is_real


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

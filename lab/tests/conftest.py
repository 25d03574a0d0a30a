"""Hooks and fixtures of all tests: spreading them over workers, the checkout, servers and a browser started once."""

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright
from throwaway_server import throwaway_server

from bakeoff.git import leave_hook
from bakeoff.postgres.server import Server
from bakeoff.processes.request_client import RequestClient
from bakeoff.project import FALLBACK_VARIABLE, PROJECT_VARIABLE, Project, find_project, own_checkout
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE
from bakeoff.storage.metrics_store import MetricsStore
from build_once import built_client
from checkouts import share_databases, the_gallery, throwaway
from fake_forge import FakeForge

# The same examples each time, and no example is judged by how long a busy machine takes for it.
settings.register_profile("tests", deadline=None, derandomize=True)
# A command in a test is for the tests' own project, unless it names another; the launcher's own is for people.
os.environ.pop(FALLBACK_VARIABLE, None)
leave_hook()
os.environ[PROJECT_VARIABLE] = str(Path(__file__).parent / "projects" / "depot")

settings.load_profile("tests")

_URL = "TEST_DATABASE_URL"

# The group of tests that work in this very checkout, in which one lab works at a time.
_CHECKOUT = "checkout"
_STARTS_THE_LAB = "bakeoff_process"
# Modules that start many targets together and wait for minutes: one after another, beside other tests.
ALL_AT_ONCE = "all-at-once"
# The groups that begin first, for minutes each. Of these test_run alone proves targets that others measure too, which
# would all prove the same if they began at once.
_FIRST = (ALL_AT_ONCE, "test_run", "stranger", "test_storage_kinds")
# Parameters of tests whose value is a target, or begins with one.
_TARGET_PARAMETERS = ("started", "started_narrow", "secured", "name")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without an end-to-end test, where only such are chosen: each worker would import them all."""
    is_test = collection_path.name.startswith("test_")
    chosen = is_test and config.option.markexpr.startswith("end_to_end")
    return True if chosen and "end_to_end" not in collection_path.read_text("utf-8") else None


# Before xdist writes the groups into the names of the tests.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one target share its process, and those of one file their servers, so they stay together.

    Groups that take longest begin first. A module may name its group itself, as `xdist_group`.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(_group(item)))
        if "gallery" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.gallery)
    ranks = {item: _rank(item) for item in items}
    items.sort(key=lambda item: ranks[item])


def _group(item: pytest.Item) -> str:
    if item.get_closest_marker("end_to_end") is None:
        return _CHECKOUT if _starts_the_lab(item.path) else item.path.stem
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    found = next((parameters[name] for name in _TARGET_PARAMETERS if name in parameters), None)
    if found is None:
        return item.path.stem
    return str(found[0] if isinstance(found, tuple) else found)


@lru_cache
def _starts_the_lab(path: Path) -> bool:
    return _STARTS_THE_LAB in path.read_text("utf-8")


def _rank(item: pytest.Item) -> tuple[int, bool, bool]:
    """The longest tests are lowest: those that begin first, that start the lab, and other real ones."""
    mark = item.get_closest_marker("xdist_group")
    assert mark is not None
    is_real = item.get_closest_marker("end_to_end") is not None
    first = _FIRST.index(mark.args[0]) if is_real and mark.args[0] in _FIRST else len(_FIRST)
    return first, not _starts_the_lab(item.path), not is_real


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Stops a worker whose xdist lost the groups (with pytest 9.2: pytest-xdist issue 1386): tests would collide."""
    if getattr(session.config.option, "loadgroup", False) and not all("@" in item.nodeid for item in session.items):
        raise pytest.UsageError("pytest-xdist does not group tests by xdist_group: use the pytest of uv.lock.")


def pytest_configure(config: pytest.Config) -> None:
    """Each worker gets its own database on the server that all share."""
    config.addinivalue_line("markers", "xdist_group(name): the tests that one worker runs, where there are several")
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or _URL not in os.environ:
        return
    shared = Server(os.environ[_URL], None, embedded=False)
    name = f"{worker}_{secrets.token_hex(4)}"
    shared.execute_script(f"CREATE DATABASE {name}")
    os.environ[_URL] = shared.in_database(name).url


@pytest.fixture(scope="session")
def project() -> Project:
    """A project of the tests' own, to read from."""
    return find_project()


@pytest.fixture(scope="session")
def gallery() -> Project:
    """The gallery, to read from: the test is of the clone's part `gallery`."""
    return the_gallery()


@pytest.fixture(scope="session")
def clone() -> Project:
    """The clone of the tool, to read from."""
    return own_checkout()


@pytest.fixture(scope="session", autouse=True)
def own_machine_lock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests start labs while another checkout may be measuring on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MACHINE_LOCK_VARIABLE, str(tmp_path_factory.mktemp("machine") / "bakeoff.lock"))
        yield


@pytest.fixture(scope="session")
def instances(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """The PostgreSQL instances of all checkouts that a worker's tests make, one after another."""
    with throwaway(tmp_path_factory.mktemp("instances")) as owner:
        owner.state.mkdir()
        yield owner


@pytest.fixture
def own_databases(instances: Project, common_server: Server, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The lab's own PostgreSQL for a checkout to share, and an empty metrics database."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    name = f"metrics_{secrets.token_hex(4)}"
    common_server.execute_script(f"CREATE DATABASE {name}")
    monkeypatch.setenv("METRICS_DATABASE_URL", common_server.in_database(name).url)
    return instances


@pytest.fixture
def measuring_checkout(empty_checkout: Project, own_databases: Project) -> Project:
    """A project without a workload, on the lab's own PostgreSQL."""
    share_databases(own_databases, empty_checkout)
    return empty_checkout


@pytest.fixture
def empty_checkout(tmp_path: Path) -> Iterator[Project]:
    """A project with nothing in it, to write into."""
    with throwaway(tmp_path / "a checkout") as checkout:
        yield checkout


@pytest.fixture(scope="session")
def common_server(clone: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests of a worker."""
    with throwaway_server(clone, tmp_path_factory.mktemp("logs")) as start, start() as running:
        yield running


@pytest.fixture(scope="session")
def server(common_server: Server) -> Server:
    """The shared server, unless a module that kills or changes its server starts another."""
    return common_server


@pytest.fixture
def database(server: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """An empty database of the test's own."""
    with _database(server, f"d{abs(hash(request.node.name))}") as own:
        yield own


@pytest.fixture
def application(server: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    """Another empty database of the test's own, for its targets."""
    with _database(server, f"a{abs(hash(request.node.name))}") as own:
        yield own


@contextlib.contextmanager
def _database(server: Server, name: str) -> Iterator[Server]:
    server.execute_script(f"CREATE DATABASE {name}")
    yield server.in_database(name)
    server.execute_script(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def client() -> RequestClient:
    """The engine's client, built."""
    return built_client()


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


@pytest.fixture
def forge() -> Iterator[FakeForge]:
    """A forge's API with the comments of one pull request."""
    with FakeForge().running() as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, headless; a test that needs it is skipped where there is none.

    For one module: its event loop keeps running, and asyncio of later tests would refuse to run beside it.
    """
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not on PATH (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the test run that takes pictures of pages."""
    return tmp_path_factory.mktemp("screenshots")

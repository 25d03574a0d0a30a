"""The checkout, and a throwaway one, for many tests."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from bakeoff.postgres.binaries import folder_outside
from bakeoff.project import Project, find_project
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE

# The same examples each time, and no example is judged by how long a busy machine takes for it.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


@pytest.fixture(scope="session")
def project() -> Project:
    """The real checkout, to read from."""
    return find_project()


@pytest.fixture(scope="session", autouse=True)
def own_machine_lock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests start labs while another checkout may be measuring on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MACHINE_LOCK_VARIABLE, str(tmp_path_factory.mktemp("machine") / "bakeoff.lock"))
        yield


@pytest.fixture
def measuring_checkout(empty_checkout: Project, project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A checkout with the engines, the schemas and no workload, on the lab's own PostgreSQL."""
    (empty_checkout.root / "load").symlink_to(project.engines)
    shutil.copytree(project.state / "builds", empty_checkout.root / ".bakeoff" / "builds")
    (empty_checkout.root / ".bakeoff" / "bin").symlink_to(project.bin)
    for variable in ("DATABASE_URL", "METRICS_DATABASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    return empty_checkout


@pytest.fixture
def empty_checkout(project: Project, tmp_path: Path) -> Iterator[Project]:
    """A checkout with the contract's schemas and nothing else, to write into."""
    with throwaway(tmp_path / "a checkout") as checkout:
        shutil.copytree(project.contract / "schemas", checkout.contract / "schemas")
        yield checkout


@contextlib.contextmanager
def throwaway(root: Path) -> Iterator[Project]:
    """A checkout of one test. Its database, some hundred MB outside its folder, is removed at the end."""
    checkout = Project(root)
    try:
        yield checkout
    finally:
        shutil.rmtree(folder_outside(checkout), ignore_errors=True)

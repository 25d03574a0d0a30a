"""Fixtures of end-to-end tests: a server, started targets, separate databases, and a Docker engine."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from docker_here import SMALL_IMAGE, need_image, skip_without
from installed_programs import installed_programs, python_of_all
from running_targets import NARROW_QUEUE, Running, running

from bakeoff.containers.docker import DockerEngine, docker_address
from bakeoff.engines.manifest import find_engine
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from build_once import build_once
from checkouts import linked

# Without it a JVM may use a quarter of the machine's memory before it frees any.
SMALL_HEAP = {"JDK_JAVA_OPTIONS": f"{os.environ.get('JDK_JAVA_OPTIONS', '')} -Xmx512m".strip()}


@pytest.fixture(scope="session")
def project(request: pytest.FixtureRequest, gallery: Project) -> Iterator[Project]:
    """The gallery in a checkout of the worker's own, so that the labs of several workers run at the same time."""
    # Beside the checkout's own state: PostgreSQL's account can enter both or neither.
    folder = gallery.state / "test-checkouts"
    for leftover in folder.iterdir() if folder.exists() else ():
        if not psutil.pid_exists(int(leftover.name)):
            shutil.rmtree(leftover, ignore_errors=True)
    engine = find_engine("native")
    if not engine.manifest.toolchain.missing and any(
        item.get_closest_marker("end_to_end") for item in request.session.items
    ):
        # Here, because tests give the labs that they start less time than this takes.
        build_once(engine.build)
    with linked(gallery, folder / str(os.getpid())) as checkout:
        yield checkout


@pytest.fixture(scope="session")
def started(
    request: pytest.FixtureRequest, project: Project, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A target with its default settings: of TARGET_CASES, by indirect parametrization."""
    name, write_mode = request.param
    with running(project, server, tmp_path_factory.mktemp("started"), name, WRITE_MODE=write_mode) as target:
        yield target


@pytest.fixture(scope="session")
def started_narrow(
    request: pytest.FixtureRequest, project: Project, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A target whose queue holds few events: of TARGET_CASES, by indirect parametrization."""
    name, write_mode = request.param
    settings = {"WRITE_MODE": write_mode, "QUEUE_EVENTS": str(NARROW_QUEUE), "FLUSHERS": "1", **SMALL_HEAP}
    with running(project, server, tmp_path_factory.mktemp("narrow"), name, **settings) as target:
        yield target


@pytest.fixture
def target(started: Running, server: Server) -> Running:
    """The shared target, on an empty table."""
    return _emptied(started, server)


@pytest.fixture
def narrow_target(started_narrow: Running, server: Server) -> Running:
    """The shared target with a narrow queue, on an empty table."""
    return _emptied(started_narrow, server)


def _emptied(target: Running, server: Server) -> Running:
    # Not dropped: a target makes its table only when it starts.
    server.execute_script("TRUNCATE car_entities")
    return target


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture(scope="session")
def docker() -> DockerEngine:
    """The engine that the lab would use."""
    engine = DockerEngine(docker_address())
    try:
        engine.get("/info")
        subprocess.run(["docker", "--version"], capture_output=True, check=True)
    except (BakeoffError, OSError) as error:
        skip_without("docker", f"no Docker engine: {error}")
    need_image(engine, SMALL_IMAGE)
    return engine


@pytest.fixture(scope="session")
def programs(clone: Project) -> Iterator[Path]:
    """The programs of an environment outside the clone, with the wheel of the lab and the clone's engine beside it.

    Every account can enter its folder: pytest's own are private.
    """
    with tempfile.TemporaryDirectory(prefix="bakeoff-installed-") as folder:
        Path(folder).chmod(0o755)
        yield installed_programs(clone, Path(folder), python_of_all())

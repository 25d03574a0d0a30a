"""Targets that several tests share: one process for each target, write mode and set of settings, started once."""

from collections.abc import Iterator

import pytest
from running_targets import Running, running

from bakeoff.postgres.server import Server
from bakeoff.project import Project

QUEUE = 4
"""Events that a target with a narrow queue may hold."""


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
    settings = {"WRITE_MODE": write_mode, "QUEUE_EVENTS": str(QUEUE), "FLUSHERS": "1"}
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

"""kill -9 under load, many times: what was acknowledged must be there."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from acknowledged_writes import Clients, lost
from running_targets import CORE_CASES, TARGETS, kill_tree, start, target_named
from throwaway_server import StartServer, throwaway_server

from bakeoff import processes
from bakeoff.project import Project
from bakeoff.running.service import fresh_table
from bakeoff.workload.loader import load_workload

pytestmark = pytest.mark.end_to_end

KILLS = 10
EVENTS_BETWEEN_KILLS = 60


@pytest.fixture(scope="module")
def start_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start:
        yield start


@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_killing_the_target(
    project: Project, start_server: StartServer, tmp_path: Path, name: str, write_mode: str
) -> None:
    target, workload = target_named(project, name), load_workload(project, "events")
    port, settings = processes.free_port(), {"WRITE_MODE": write_mode}
    with start_server() as server:
        fresh_table(workload, server)
        with Clients(workload, target.protocol, port) as clients:
            for kill in range(KILLS):
                with start(target, project, server, port, tmp_path / f"{kill}.log", settings) as process:
                    clients.wait_for_more(EVENTS_BETWEEN_KILLS)
                    kill_tree(process.pid)
            with start(target, project, server, port, tmp_path / "last.log", settings):
                clients.wait_for_more(EVENTS_BETWEEN_KILLS)
        assert lost(server, clients.acknowledged) == {}
        assert clients.count >= (KILLS + 1) * EVENTS_BETWEEN_KILLS


@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_killing_postgresql(
    project: Project, start_server: StartServer, tmp_path: Path, name: str, write_mode: str
) -> None:
    """The target recovers by itself each time: it is never started again."""
    target, workload = target_named(project, name), load_workload(project, "events")
    port, settings = processes.free_port(), {"WRITE_MODE": write_mode}
    with contextlib.ExitStack() as last_server:
        server = last_server.enter_context(start_server())
        fresh_table(workload, server)
        with (
            start(target, project, server, port, tmp_path / "target.log", settings),
            Clients(workload, target.protocol, port) as clients,
        ):
            for _ in range(KILLS):
                clients.wait_for_more(EVENTS_BETWEEN_KILLS)
                assert server.pid is not None
                kill_tree(server.pid)
                last_server.close()
                server = last_server.enter_context(start_server())
            clients.wait_for_more(EVENTS_BETWEEN_KILLS)
        assert lost(server, clients.acknowledged) == {}


def test_the_check_itself_finds_a_loss(project: Project, start_server: StartServer, tmp_path: Path) -> None:
    """A row set back by hand and a row removed by hand must both be seen."""
    target, workload = target_named(project, TARGETS[0]), load_workload(project, "events")
    port = processes.free_port()
    with start_server() as server:
        fresh_table(workload, server)
        with (
            start(target, project, server, port, tmp_path / "target.log", {}),
            Clients(workload, target.protocol, port, clients=2) as clients,
        ):
            clients.wait_for_more(30)
        assert lost(server, clients.acknowledged) == {}
        server.execute_script(
            "UPDATE car_entities SET data = '{\"value\": 0}' WHERE id = 'client-0-1';"
            "DELETE FROM car_entities WHERE id = 'client-1-2';"
        )
        assert set(lost(server, clients.acknowledged)) == {"client-0-1", "client-1-2"}

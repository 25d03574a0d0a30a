"""kill -9 under load, many times: what was acknowledged must be there."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import psutil
import pytest
from acknowledged_writes import Clients, lost
from throwaway_server import StartServer, throwaway_server

from bakeoff import processes
from bakeoff.postgres.server import Server
from bakeoff.project import Project, find_project
from bakeoff.running.run import fresh_table
from bakeoff.targets.health import health_check
from bakeoff.targets.manifest import Target, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import load_workload

pytestmark = pytest.mark.end_to_end

KILLS = 10
EVENTS_BETWEEN_KILLS = 60

TARGETS = [target.name for target in find_targets(find_project()) if target.workload == "events"]
WRITE_MODES = ["group-commit", "per-request"]


@pytest.fixture(scope="module")
def start_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start:
        yield start


def target_named(project: Project, name: str) -> Target:
    (target,) = [target for target in find_targets(project) if target.name == name]
    if target.missing_programs:
        pytest.skip(f"{', '.join(target.missing_programs)} not found")
    if target.build.is_stale():
        target.build.run(lambda _: None)
    return target


def start(
    target: Target, project: Project, server: Server, port: int, log: Path, settings: Mapping[str, str]
) -> TargetProcess:
    check = health_check(load_workload(project, target.workload), target.protocol)
    return TargetProcess(target, server, check, log, port=port, settings=settings)


def kill_tree(pid: int) -> None:
    """SIGKILL to a process and all it started, and waits until they are gone."""
    root = psutil.Process(pid)
    members = [*root.children(recursive=True), root]
    for member in members:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(members, timeout=30)


@pytest.mark.parametrize("write_mode", WRITE_MODES)
@pytest.mark.parametrize("name", TARGETS)
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


@pytest.mark.parametrize("write_mode", WRITE_MODES)
@pytest.mark.parametrize("name", TARGETS)
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

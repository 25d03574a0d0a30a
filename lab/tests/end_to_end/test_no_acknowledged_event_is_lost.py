"""kill -9 under load, many times: what was acknowledged must be there.

All targets that were chosen share one PostgreSQL and are killed together; each test looks at what came of one of them.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from acknowledged_writes import Clients, lost
from running_targets import CORE_CASES, TARGETS, start, target_named
from throwaway_server import StartServer, throwaway_server

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.processes.children import kill_tree
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.manifest import Target, find_targets
from bakeoff.targets.process import TargetProcess
from bakeoff.workload.loader import Workload, load_workload

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("all-at-once")]

KILLS = 3
KILLS_IN_ALL = 10
EVENTS_BETWEEN_KILLS = 60
EVENTS_WITHOUT_REST = 16
CLIENTS_EACH = 4
# Of a client while slower targets start: they need the processor.
REST_S = 0.05
# Those of one language, say: more at once would only take turns on the processor.
AT_ONCE = 3

Key = tuple[str, str]


@dataclass(frozen=True)
class Loaded:
    """A target in a write mode, on its own port, and the clients that write to it."""

    target: Target
    settings: dict[str, str]
    port: int
    clients: Clients

    def started(self, project: Project, server: Server, log: Path) -> TargetProcess:
        return start(self.target, project, server, self.port, log, self.settings)


@dataclass(frozen=True)
class Outcome:
    """How many events a target acknowledged, and those that were lost, by name."""

    acknowledged: int
    lost: dict[str, str]


@pytest.fixture(scope="module")
def start_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start:
        yield start


@pytest.fixture(scope="module")
def kills(request: pytest.FixtureRequest) -> int:
    is_exhaustive = any(item.get_closest_marker("exhaustive") for item in request.session.items)
    return KILLS_IN_ALL if is_exhaustive else KILLS


def loaded(project: Project, workload: Workload, keys: Sequence[Key]) -> dict[Key, Loaded]:
    found = {}
    for name, mode in keys:
        target, port = target_named(project, name), ports.free_port()
        clients = Clients(workload, target.protocol, port, CLIENTS_EACH, f"{name}-{mode}")
        found[name, mode] = Loaded(target, {"WRITE_MODE": mode}, port, clients)
    return found


def batches(request: pytest.FixtureRequest, project: Project, test: str) -> Iterator[list[Key]]:
    """The cases of a test that were chosen and whose toolchain is here, a few at a time."""
    params = [
        item.callspec.params
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == test and item.module is request.module
    ]
    keys = [(str(each["name"]), str(each["write_mode"])) for each in params]
    here = {target.name for target in find_targets(project) if not target.missing}
    keys = [key for key in keys if key[0] in here]
    for first in range(0, len(keys), AT_ONCE):
        yield keys[first : first + AT_ONCE]


def rest(targets: dict[Key, Loaded], rest_s: float = REST_S) -> None:
    for each in targets.values():
        each.clients.rest_s = rest_s


def wait_for_more(targets: dict[Key, Loaded]) -> None:
    """Once all store again they do so without a rest: what is killed then is in the middle of its writes."""
    for rest_s, events in ((REST_S, EVENTS_BETWEEN_KILLS), (0, EVENTS_WITHOUT_REST)):
        rest(targets, rest_s)
        goals = [(each.clients, each.clients.count + events) for each in targets.values()]
        for clients, goal in goals:
            clients.wait_until(goal)


def outcomes(server: Server, targets: dict[Key, Loaded]) -> dict[Key, Outcome]:
    return {key: Outcome(each.clients.count, lost(server, each.clients.acknowledged)) for key, each in targets.items()}


def kill_targets(
    project: Project, workload: Workload, start_server: StartServer, folder: Path, keys: Sequence[Key], kills: int
) -> dict[Key, Outcome]:
    targets = loaded(project, workload, keys)
    with start_server() as server:
        fresh_table(workload, server)
        with contextlib.ExitStack() as clients:
            rest(targets)
            for each in targets.values():
                clients.enter_context(each.clients)
            for kill in range(kills + 1):
                with contextlib.ExitStack() as running:
                    started = [
                        running.enter_context(each.started(project, server, folder / f"{name}-{mode}-{kill}.log"))
                        for (name, mode), each in targets.items()
                    ]
                    wait_for_more(targets)
                    # After the last start they end in good order.
                    for process in started if kill < kills else []:
                        kill_tree(process.pid)
                    rest(targets)
        return outcomes(server, targets)


def kill_server(
    project: Project, workload: Workload, start_server: StartServer, folder: Path, keys: Sequence[Key], kills: int
) -> dict[Key, Outcome]:
    targets = loaded(project, workload, keys)
    with contextlib.ExitStack() as last_server:
        server = last_server.enter_context(start_server())
        fresh_table(workload, server)
        with contextlib.ExitStack() as running:
            for (name, mode), each in targets.items():
                running.enter_context(each.started(project, server, folder / f"{name}-{mode}.log"))
            for each in targets.values():
                running.enter_context(each.clients)
            for _ in range(kills):
                wait_for_more(targets)
                assert server.pid is not None
                kill_tree(server.pid)
                rest(targets)
                last_server.close()
                server = last_server.enter_context(start_server())
            wait_for_more(targets)
        return outcomes(server, targets)


Killed = Callable[[str, Callable[..., dict[Key, Outcome]]], dict[Key, Outcome]]


@pytest.fixture(scope="module")
def killed(
    request: pytest.FixtureRequest,
    project: Project,
    start_server: StartServer,
    kills: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> Killed:
    """The outcomes of all cases of a test when their targets, or their server, are killed."""

    def outcomes_of(test: str, kill: Callable[..., dict[Key, Outcome]]) -> dict[Key, Outcome]:
        workload, folder = load_workload(project, "events"), tmp_path_factory.mktemp("logs")
        found: dict[Key, Outcome] = {}
        for keys in batches(request, project, test):
            found |= kill(project, workload, start_server, folder, keys, kills)
        return found

    return outcomes_of


@pytest.fixture(scope="module")
def targets_killed(killed: Killed) -> dict[Key, Outcome]:
    return killed("test_killing_the_target", kill_targets)


@pytest.fixture(scope="module")
def server_killed(killed: Killed) -> dict[Key, Outcome]:
    return killed("test_killing_postgresql", kill_server)


@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_killing_the_target(
    project: Project, targets_killed: dict[Key, Outcome], kills: int, name: str, write_mode: str
) -> None:
    target_named(project, name)
    outcome = targets_killed[name, write_mode]
    assert outcome.lost == {}
    assert outcome.acknowledged >= (kills + 1) * EVENTS_BETWEEN_KILLS


@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_killing_postgresql(
    project: Project, server_killed: dict[Key, Outcome], kills: int, name: str, write_mode: str
) -> None:
    """The target recovers by itself each time: it is never started again."""
    target_named(project, name)
    outcome = server_killed[name, write_mode]
    assert outcome.lost == {}
    assert outcome.acknowledged >= (kills + 1) * EVENTS_BETWEEN_KILLS


def test_the_check_itself_finds_a_loss(project: Project, start_server: StartServer, tmp_path: Path) -> None:
    """A row set back by hand and a row removed by hand must both be seen."""
    target, workload = target_named(project, TARGETS[0]), load_workload(project, "events")
    port = ports.free_port()
    with start_server() as server:
        fresh_table(workload, server)
        with (
            start(target, project, server, port, tmp_path / "target.log", {}),
            Clients(workload, target.protocol, port, clients=2) as clients,
        ):
            clients.wait_for_more(30)
        assert lost(server, clients.acknowledged) == {}
        # Which clients stored how much is up to the machine.
        first, second, *_ = clients.acknowledged
        server.execute_script(
            f"UPDATE car_entities SET data = '{{\"value\": 0}}' WHERE id = '{first}';"
            f"DELETE FROM car_entities WHERE id = '{second}';"
        )
        assert set(lost(server, clients.acknowledged)) == {first, second}

"""The user service with PostgreSQL, whichever its language and protocol: competing requests, an unavailable database,
kill -9, and deadlines that expire in mid-call."""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
from _pytest.mark import ParameterSet
from running_targets import WRITE_MODES, start, target_named
from table_lock import statements_waiting, wait_until
from throwaway_server import StartServer, throwaway_server
from user_clients import NO_REPLY, OK, Creating, UserClient

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.processes.children import kill_tree
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.access import Access
from bakeoff.targets.health import health_check
from bakeoff.workload.loader import Workload, load_workload
from build_once import built_client
from checkouts import gallery_targets

pytestmark = pytest.mark.end_to_end

TARGETS = [target.name for target in gallery_targets() if target.workload == "users"]


def cases(*usual_modes: str) -> list[ParameterSet]:
    """Every target in every write mode: over REST usual, over gRPC in these modes alone."""
    return [
        pytest.param(name, mode, marks=[] if mode in usual_modes or "rest" in name else [pytest.mark.exhaustive])
        for name in TARGETS
        for mode in WRITE_MODES
    ]


# A status belongs to the transport; storing, to the core that the targets of a language share.
CASES, CORE_CASES = cases(WRITE_MODES[0]), cases()

CONNECTIONS = 64
KILLS = 3
USERS_BETWEEN_KILLS = 40
DEADLINE = "2s"


@pytest.fixture(scope="module")
def start_server(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    with throwaway_server(project, tmp_path_factory.mktemp("logs")) as start:
        yield start


@dataclass
class Service:
    """A running target, and its database, which can be killed and started again."""

    workload: Workload
    protocol: str
    port: int
    server: Server
    _starting: StartServer
    _running: contextlib.ExitStack

    def client(self) -> UserClient:
        return UserClient(self.workload, self.protocol, self.port)

    def creating(self) -> Creating:
        return Creating(self.workload, self.protocol, self.port)

    def is_healthy(self) -> bool:
        check = health_check(self.workload, self.protocol, built_client())
        return check.answer(Access("127.0.0.1", self.port)).is_healthy

    def kill_database(self) -> None:
        """SIGKILL to PostgreSQL and all of its processes."""
        assert self.server.pid is not None
        kill_tree(self.server.pid)
        self._running.close()

    def start_database(self) -> None:
        """With the same data, on the same port."""
        self.server = self._running.enter_context(self._starting())

    def emails(self) -> list[str]:
        with self.server.connect() as connection:
            return [email for (email,) in connection.execute("SELECT email FROM users").fetchall()]


@contextlib.contextmanager
def serving(
    project: Project,
    starting: StartServer,
    log: Path,
    name: str,
    write_mode: str,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Service]:
    """The target on fresh tables while the block lasts; it is never started again."""
    target, workload = target_named(project, name), load_workload(project, "users")
    port = ports.free_port()
    with contextlib.ExitStack() as database:
        server = database.enter_context(starting())
        fresh_table(workload, server)
        with start(target, project, server, port, log, {"WRITE_MODE": write_mode, **settings}):
            yield Service(workload, target.protocol, port, server, starting, database)


@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_one_of_64_connections_gets_an_address(
    project: Project, start_server: StartServer, tmp_path: Path, name: str, write_mode: str
) -> None:
    with (
        serving(project, start_server, tmp_path / "target.log", name, write_mode) as service,
        contextlib.ExitStack() as connections,
        ThreadPoolExecutor(CONNECTIONS) as threads,
    ):
        clients = [connections.enter_context(service.client()) for _ in range(CONNECTIONS)]
        ready = threading.Barrier(CONNECTIONS)

        def connect(client: UserClient) -> None:
            # A pool that connects meanwhile refuses what has waited too long for that.
            wait_until("a reply", lambda: client.get("1").code == "NOT_FOUND")

        def create(client: UserClient) -> str:
            ready.wait()
            return client.create("raced@example.org").code

        list(threads.map(connect, clients))
        codes = sorted(threads.map(create, clients))
        assert codes == ["ALREADY_EXISTS"] * (CONNECTIONS - 1) + [OK]
        assert service.emails() == ["raced@example.org"]


@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_killing_postgresql_loses_no_acknowledged_user(
    project: Project, start_server: StartServer, tmp_path: Path, name: str, write_mode: str
) -> None:
    with serving(project, start_server, tmp_path / "target.log", name, write_mode) as service:
        with service.creating() as clients:
            for _ in range(KILLS):
                clients.wait_for_more(USERS_BETWEEN_KILLS)
                service.kill_database()
                service.start_database()
            clients.wait_for_more(USERS_BETWEEN_KILLS)
        emails = service.emails()
        assert clients.acknowledged - set(emails) == set()
        assert len(emails) == len(set(emails))


@pytest.mark.parametrize(("name", "write_mode"), CASES)
def test_a_database_that_is_down_and_back(
    project: Project, start_server: StartServer, tmp_path: Path, name: str, write_mode: str
) -> None:
    with (
        serving(project, start_server, tmp_path / "target.log", name, write_mode) as service,
        service.client() as client,
    ):
        created = client.create("before@example.org")
        assert created.code == OK
        identity = created.body["id"]
        service.kill_database()
        assert client.create("during@example.org").code == "UNAVAILABLE"
        assert client.get(identity).code == "UNAVAILABLE"
        assert not service.is_healthy()

        service.start_database()
        wait_until("healthy again", service.is_healthy)
        wait_until("reads again", lambda: client.get(identity).code == OK)
        wait_until("writes again", lambda: client.create("after@example.org").code in (OK, "ALREADY_EXISTS"))
        assert {"before@example.org", "after@example.org"} <= set(service.emails())
        assert client.get(identity).code != NO_REPLY


@pytest.mark.parametrize(("name", "write_mode"), CASES)
def test_a_deadline_that_expires_in_mid_call(
    project: Project, start_server: StartServer, tmp_path: Path, name: str, write_mode: str
) -> None:
    """The target's own limit: when a client's deadline expires, grpc-go resets the stream in place of a status."""
    limit = {"REQUEST_TIMEOUT": DEADLINE}
    with (
        serving(project, start_server, tmp_path / "target.log", name, write_mode, limit) as service,
        service.client() as client,
    ):
        with table_locked(service.server), ThreadPoolExecutor(1) as threads:
            reply = threads.submit(client.create, "late@example.org")
            wait_until("the create waits for the table", lambda: statements_waiting(service.server) > 0)
            assert reply.result().code == "DEADLINE_EXCEEDED"
        assert client.create("after@example.org").code == OK


@contextlib.contextmanager
def table_locked(server: Server) -> Iterator[None]:
    """Until the block ends no other connection writes the table."""
    with server.connect() as connection, connection.transaction():
        connection.execute("LOCK TABLE users IN EXCLUSIVE MODE")
        yield

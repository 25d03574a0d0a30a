"""Clients that go away in mid-request: forgotten, and no trouble for others."""

from pathlib import Path

import psutil
import pytest
from broken_clients import SILENCES, connected_after
from event_clients import Outcome, event
from running_targets import WRITE_MODE_CASES, Running, running
from table_lock import statements_waiting, table_locked, wait_until

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytest_plugins = ["shared_server"]
pytestmark = pytest.mark.end_to_end

CLIENTS_EACH = 20
POOL_SIZE = 5


def connections(target: Running) -> int:
    """Connections of clients that the target still holds, whether or not the client is there."""
    process = psutil.Process(target.process.pid)
    members = [process, *process.children(recursive=True)]
    return sum(
        connection.laddr.port == target.port and connection.status != psutil.CONN_LISTEN
        for member in members
        for connection in member.net_connections("tcp")
    )


@pytest.mark.parametrize(("name", "write_mode"), WRITE_MODE_CASES)
def test_clients_that_go_away_are_forgotten(
    project: Project, server: Server, tmp_path: Path, name: str, write_mode: str
) -> None:
    with running(project, server, tmp_path, name, WRITE_MODE=write_mode, DB_POOL_SIZE=str(POOL_SIZE)) as target:
        wait_until("the health check's connection is gone", lambda: connections(target) == 0)
        for sent in SILENCES[target.target.protocol].values():
            for _ in range(CLIENTS_EACH):
                connected_after(sent, target.port).close()
        with target.clients() as staying:
            with table_locked(server), target.clients() as going:
                gone = going.send([event(f"gone-{number}") for number in range(CLIENTS_EACH)])
                stayed = staying.send([event(f"stayed-{number}") for number in range(CLIENTS_EACH)])
                wait_until("a statement waits for the table", lambda: statements_waiting(server) > 0)
                going.hang_up()
                assert {answer.result().outcome for answer in gone} == {Outcome.NO_REPLY}
                assert [answer for answer in stayed if answer.done()] == []
                # What their statements hold is held, until the database lets go of it.
                assert statements_waiting(server) <= POOL_SIZE
            assert {answer.result().outcome for answer in stayed} == {Outcome.STORED}
        wait_until("no connection is left", lambda: connections(target) == 0)

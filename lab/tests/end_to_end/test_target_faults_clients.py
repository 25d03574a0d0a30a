"""Clients that disconnect in mid-request: forgotten, and no trouble for others."""

import psutil
import pytest
from broken_clients import SILENCES, connected_after
from event_clients import Outcome, event
from running_targets import TARGET_CASES, Running
from table_lock import statements_waiting, table_locked, wait_until

from bakeoff.postgres.server import Server

pytestmark = pytest.mark.end_to_end

CLIENTS_EACH = 20


def connections(target: Running) -> int:
    """Connections of clients that the target still holds, whether or not the client is there."""
    process = psutil.Process(target.process.pid)
    members = [process, *process.children(recursive=True)]
    return sum(
        connection.laddr.port == target.port and connection.status != psutil.CONN_LISTEN
        for member in members
        for connection in member.net_connections("tcp")
    )


@pytest.mark.parametrize("started", TARGET_CASES, indirect=True)
def test_clients_that_go_away_are_forgotten(target: Running, server: Server) -> None:
    (pool_size,) = (int(each.default or "") for each in target.target.settings if each.name == "pool_size")
    assert pool_size < CLIENTS_EACH
    wait_until("the connections of the test before are gone", lambda: connections(target) == 0)
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
            # What their statements hold is held, until the database releases it.
            assert statements_waiting(server) <= pool_size
        assert {answer.result().outcome for answer in stayed} == {Outcome.STORED}
    wait_until("no connection is left", lambda: connections(target) == 0)

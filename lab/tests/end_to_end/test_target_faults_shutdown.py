"""SIGTERM while there is work: everything accepted is answered, everything acknowledged is stored."""

import signal
import socket
from pathlib import Path

import psutil
import pytest
from acknowledged_writes import Clients, lost
from event_clients import Outcome, event
from running_targets import CORE_CASES, WRITE_MODE_CASES, Running, running
from table_lock import statements_waiting, stored_entities, table_locked, wait_until

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

# The contract's: from the signal to the end.
EXIT_WITHIN_S = 10.0


def accepts_clients(target: Running) -> bool:
    try:
        socket.create_connection(("127.0.0.1", target.port), timeout=5).close()
    except OSError:
        return False
    return True


# What is acknowledged, and when, is the core's; what is accepted and answered, the transport's.
@pytest.mark.parametrize(("name", "write_mode"), CORE_CASES)
def test_what_was_acknowledged_before_the_end_is_stored(
    project: Project, server: Server, tmp_path: Path, name: str, write_mode: str
) -> None:
    with running(project, server, tmp_path, name, WRITE_MODE=write_mode) as target:
        process = psutil.Process(target.process.pid)
        with Clients(target.workload, target.target.protocol, target.port) as clients:
            clients.wait_for_more(200)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=EXIT_WITHIN_S) == 0
        assert lost(server, clients.acknowledged) == {}


@pytest.mark.parametrize(("name", "write_mode"), WRITE_MODE_CASES)
def test_what_was_accepted_is_answered_and_no_other_client_is_accepted(
    project: Project, server: Server, tmp_path: Path, name: str, write_mode: str
) -> None:
    # Only of what waits in the database is it known from outside that it was accepted.
    events = 1 if write_mode == "group-commit" else 8
    with running(project, server, tmp_path, name, WRITE_MODE=write_mode) as target, target.clients() as clients:
        process = psutil.Process(target.process.pid)
        with table_locked(server):
            answers = clients.send([event(f"accepted-{number}") for number in range(events)])
            wait_until("all events wait for the table", lambda: statements_waiting(server) == events)
            process.send_signal(signal.SIGTERM)
            wait_until("no other client is accepted", lambda: not accepts_clients(target))
            assert process.is_running()

        assert {answer.result().outcome for answer in answers} == {Outcome.STORED}
        assert process.wait(timeout=EXIT_WITHIN_S) == 0
        assert stored_entities(server) == {f"accepted-{number}" for number in range(events)}

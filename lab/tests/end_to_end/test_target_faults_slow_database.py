"""A database that takes its time: what was accepted waits for it and is stored."""

from pathlib import Path

import pytest
from event_clients import Outcome, event
from running_targets import WRITE_MODE_CASES, running
from table_lock import statements_waiting, stored_entities, table_locked, wait_until

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytest_plugins = ["shared_server"]
pytestmark = pytest.mark.end_to_end

EVENTS = 60


@pytest.mark.parametrize(("name", "write_mode"), WRITE_MODE_CASES)
def test_a_slow_database_delays_and_loses_nothing(
    project: Project, server: Server, tmp_path: Path, name: str, write_mode: str
) -> None:
    with running(project, server, tmp_path, name, WRITE_MODE=write_mode) as target, target.clients(EVENTS) as clients:
        with table_locked(server):
            answers = clients.send([event(f"slow-{number}") for number in range(EVENTS)])
            wait_until("a statement waits for the table", lambda: statements_waiting(server) > 0)
            assert [answer for answer in answers if answer.done()] == []

        assert {answer.result().outcome for answer in answers} == {Outcome.STORED}
        assert stored_entities(server) == {f"slow-{number}" for number in range(EVENTS)}

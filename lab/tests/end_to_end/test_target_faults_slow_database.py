"""A database that takes its time: what was accepted waits for it and is stored."""

import pytest
from event_clients import Outcome, event
from running_targets import CORE_TARGET_CASES, Running
from table_lock import statements_waiting, stored_entities, table_locked, wait_until

from bakeoff.postgres.server import Server

pytestmark = pytest.mark.end_to_end

EVENTS = 60


@pytest.mark.parametrize("started", CORE_TARGET_CASES, indirect=True)
def test_a_slow_database_delays_and_loses_nothing(target: Running, server: Server) -> None:
    with target.clients(EVENTS) as clients:
        with table_locked(server):
            answers = clients.send([event(f"slow-{number}") for number in range(EVENTS)])
            wait_until("a statement waits for the table", lambda: statements_waiting(server) > 0)
            assert [answer for answer in answers if answer.done()] == []

        assert {answer.result().outcome for answer in answers} == {Outcome.STORED}
        # Beside them the target may still store what was sent by clients that left in an earlier test.
        assert stored_entities(server) >= {f"slow-{number}" for number in range(EVENTS)}

"""More events than a target can store: refused at once, in bounded memory, and forgotten when it is over."""

from collections import Counter
from concurrent.futures import FIRST_COMPLETED, Future, wait

import pytest
from event_clients import Answer, Outcome, event
from running_targets import (
    CORE_TARGET_CASES,
    NARROW_QUEUE,
    TARGET_CASES,
    TUNED_TARGETS,
    WRITE_MODES,
    Running,
    as_exhaustive,
)
from table_lock import stored_entities, table_locked

from bakeoff.postgres.server import Server
from bakeoff.sampling.process_tree import ProcessTree

pytestmark = pytest.mark.end_to_end

EVENTS = 60
# A flusher may hold as many events as the queue, which then takes as many again.
ACCEPTED_AT_MOST = 2 * NARROW_QUEUE

# More bytes than the memory that any target may take, the largest of which is 400 MB.
FLOOD_EVENTS = 500
BYTES_EACH = 1_000_000
MEMORY_AT_MOST = 400_000_000
# A standard JVM has a heap of 512 MB, and buffers, classes and threads beside it.
STANDARD_MEMORY_AT_MOST = 1_000_000_000


def answered(answers: list["Future[Answer]"], count: int) -> list[Answer]:
    """The first answers, as soon as there are so many."""
    pending = set(answers)
    while len(answers) - len(pending) < count:
        ended, pending = wait(pending, timeout=60, return_when=FIRST_COMPLETED)
        assert ended, f"only {len(answers) - len(pending)} of {count} events were answered"
    return [answer.result() for answer in answers if answer not in pending]


@pytest.mark.parametrize("started_narrow", TARGET_CASES, indirect=True)
def test_overload_is_refused_and_passes(narrow_target: Running, server: Server) -> None:
    with narrow_target.clients(EVENTS) as clients:
        with table_locked(server):
            answers = clients.send([event(f"overload-{number}") for number in range(EVENTS)])
            refused = answered(answers, EVENTS - ACCEPTED_AT_MOST)
        everything = [answer.result() for answer in answers]

        assert {answer.outcome for answer in refused} == {Outcome.OVERLOADED}
        assert {answer.message for answer in refused} == {"overloaded: the write queue is full, retry later"}
        if not narrow_target.is_grpc:
            assert all(int(answer.retry_after or "-1") >= 0 for answer in refused)
        outcomes = Counter(answer.outcome for answer in everything)
        assert set(outcomes) == {Outcome.OVERLOADED, Outcome.STORED}
        assert outcomes[Outcome.STORED] >= NARROW_QUEUE
        assert len(stored_entities(server)) == outcomes[Outcome.STORED]
        assert clients.answer(event("afterwards")).outcome is Outcome.STORED


# The queue before the writers, which belongs to the core, bounds the memory, whichever way they write.
FLOOD_CASES = [as_exhaustive(case) if WRITE_MODES[0] not in str(case.id) else case for case in CORE_TARGET_CASES]


@pytest.mark.parametrize("started_narrow", FLOOD_CASES, indirect=True)
def test_a_flood_of_large_events_does_not_fill_the_memory(narrow_target: Running, server: Server) -> None:
    large = event("flood", {"filler": "x" * BYTES_EACH})
    with narrow_target.clients(ACCEPTED_AT_MOST + 4) as clients:
        tree = ProcessTree(narrow_target.process.pid)
        highest = 0
        with table_locked(server):
            answers = clients.send([large] * FLOOD_EVENTS)
            for count in range(0, FLOOD_EVENTS - ACCEPTED_AT_MOST, 10):
                outcomes = {answer.outcome for answer in answered(answers, count)}
                # Without a bound all would wait for the database, until that is given up.
                assert Outcome.OVERLOADED in outcomes or count <= ACCEPTED_AT_MOST
                usage = tree.usage()
                assert usage is not None
                highest = max(highest, usage.memory_bytes)

        assert Outcome.OVERLOADED in {answer.result().outcome for answer in answers}
        is_tuned = narrow_target.target.name in TUNED_TARGETS
        assert highest < (MEMORY_AT_MOST if is_tuned else STANDARD_MEMORY_AT_MOST)
        assert clients.answer(event("afterwards")).outcome is Outcome.STORED

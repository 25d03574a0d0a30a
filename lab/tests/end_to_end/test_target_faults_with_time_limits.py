"""The time limits of a target: a database that hangs, and clients that fall silent.

Some limits are a minute long, so all targets are tried at once; each test looks at what came of one of them.
"""

import contextlib
import json
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil
import pytest
from broken_clients import BODY, SILENCES, all_received, connected_after, is_closed
from event_clients import Answer, EventClients, Outcome, event
from running_targets import REST_TARGETS, TUNED_TARGETS, USUAL_CASES, WRITE_MODES, Running, start, target_named
from table_lock import statements_waiting, table_locked, wait_until

from bakeoff.postgres.server import Server
from bakeoff.processes import ports
from bakeoff.project import Project
from bakeoff.running.fresh_state import fresh_table
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload

pytestmark = [pytest.mark.end_to_end, pytest.mark.xdist_group("all-at-once")]

# More than the pool of per-request mode, so that some wait for a connection.
EVENTS = 15
# The longest limit: a ping each minute, and 20 s for the answer to it.
SILENCE_S = 110.0
# The contract's 10 s, and what twelve processes that end at once need on a busy machine.
EXIT_WITHIN_S = 14.0


@dataclass(frozen=True)
class Trial:
    """The outcome of one target.

    The answers of a database that hangs, the silences that it allowed, its reply to half a body, and its end.
    """

    hung: tuple[Answer, ...]
    kept_open: tuple[str, ...]
    to_half_a_body: bytes
    # Of its end while the database hung; None when it did not end in time.
    exit_status: int | None


Key = tuple[str, str]


@pytest.fixture(scope="module")
def trials(project: Project, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Key, Trial]]:
    """All targets in the usual modes on one table, which hangs until each has answered."""
    folder = tmp_path_factory.mktemp("trials")
    with contextlib.ExitStack() as stack:
        targets = _start_all(project, server, folder, stack)
        silent = {key: _silent_clients(target, stack) for key, target in targets.items() if key[0] in TUNED_TARGETS}
        halves = {
            key: stack.enter_context(connected_after(SILENCES["rest"][BODY], target.port))
            for key, target in targets.items()
            if key[0] in REST_TARGETS
        }
        hung = _answers_of_hung_database(server, targets)
        kept_open = _silences_kept_open(silent)
        replies = {key: all_received(connection, SILENCE_S) for key, connection in halves.items()}
        exits = _exits_beside_hung_database(server, targets)
        yield {key: Trial(hung[key], kept_open.get(key, ()), replies.get(key, b""), exits[key]) for key in targets}


def _start_all(project: Project, server: Server, folder: Path, stack: contextlib.ExitStack) -> dict[Key, Running]:
    workload = load_workload(project, "events")
    fresh_table(workload, server)
    running = {}
    for target in find_targets(project):
        if target.workload == workload.name and not target.missing:
            for mode in (each for each in WRITE_MODES if (target.name, each) in USUAL_CASES):
                log = folder / f"{target.name}-{mode}.log"
                built = target_named(project, target.name)
                port = ports.free_port()
                process = stack.enter_context(start(built, project, server, port, log, {"WRITE_MODE": mode}))
                running[target.name, mode] = Running(built, workload, process)
    return running


def _silent_clients(target: Running, stack: contextlib.ExitStack) -> dict[str, socket.socket]:
    return {
        where: stack.enter_context(connected_after(sent, target.port))
        for where, sent in SILENCES[target.target.protocol].items()
    }


def _answers_of_hung_database(server: Server, targets: dict[Key, Running]) -> dict[Key, tuple[Answer, ...]]:
    with contextlib.ExitStack() as stack:
        clients = {key: stack.enter_context(target.clients(EVENTS)) for key, target in targets.items()}
        with table_locked(server):
            sent = {key: client.send([event(f"hung-{n}") for n in range(EVENTS)]) for key, client in clients.items()}
            answers = {key: tuple(future.result() for future in futures) for key, futures in sent.items()}
            # What was given up must not be stored later: it could undo what was acknowledged meanwhile.
            wait_until("no statement waits for the table", lambda: statements_waiting(server) == 0)
        for (name, mode), client in clients.items():
            wait_until(f"{name} in {mode} mode stores again", partial(_stores, client))
    return answers


def _exits_beside_hung_database(server: Server, targets: dict[Key, Running]) -> dict[Key, int | None]:
    processes_of = {key: psutil.Process(target.process.pid) for key, target in targets.items()}
    with contextlib.ExitStack() as stack, table_locked(server):
        for target in targets.values():
            stack.enter_context(target.clients(EVENTS)).send([event(f"given-up-{n}") for n in range(EVENTS)])
        wait_until("each target waits for the table", lambda: statements_waiting(server) >= len(targets))
        for process in processes_of.values():
            process.send_signal(signal.SIGTERM)
        ended, _ = psutil.wait_procs(processes_of.values(), timeout=EXIT_WITHIN_S)
    return {key: process.wait() if process in ended else None for key, process in processes_of.items()}


def _stores(client: EventClients) -> bool:
    return client.answer(event("back")).outcome is Outcome.STORED


def _silences_kept_open(silent: dict[Key, dict[str, socket.socket]]) -> dict[Key, tuple[str, ...]]:
    def still_open(connections: dict[str, socket.socket]) -> tuple[str, ...]:
        return tuple(where for where, connection in connections.items() if not is_closed(connection))

    with contextlib.suppress(AssertionError):
        wait_until("all are cut", lambda: not any(map(still_open, silent.values())), within_s=SILENCE_S)
    return {key: still_open(connections) for key, connections in silent.items()}


def trial_of(trials: dict[Key, Trial], project: Project, name: str, write_mode: str) -> Trial:
    target_named(project, name)
    return trials[name, write_mode]


@pytest.mark.parametrize(("name", "write_mode"), sorted(USUAL_CASES))
def test_a_database_that_hangs_is_unavailable(
    project: Project, trials: dict[Key, Trial], name: str, write_mode: str
) -> None:
    answers = trial_of(trials, project, name, write_mode).hung

    assert {answer.outcome for answer in answers} == {Outcome.UNAVAILABLE}
    assert {answer.message for answer in answers} == {"database: unavailable, retry later"}


@pytest.mark.parametrize("name", TUNED_TARGETS)
def test_clients_that_fall_silent_are_cut(project: Project, trials: dict[Key, Trial], name: str) -> None:
    """The strict profile: limits for slow messages are rarely a framework's default."""
    assert trial_of(trials, project, name, WRITE_MODES[0]).kept_open == ()


@pytest.mark.parametrize("name", REST_TARGETS)
def test_a_body_that_does_not_arrive_is_a_request_timeout(
    project: Project, trials: dict[Key, Trial], name: str
) -> None:
    head, _, body = trial_of(trials, project, name, WRITE_MODES[0]).to_half_a_body.partition(b"\r\n\r\n")
    first, *fields = head.lower().split(b"\r\n")

    assert first.startswith(b"http/1.1 408 ")
    assert b"connection: close" in fields
    assert json.loads(body) == {"success": False, "message": "body: incomplete"}


@pytest.mark.parametrize(("name", "write_mode"), sorted(USUAL_CASES))
def test_a_database_that_hangs_does_not_keep_a_target_from_its_end(
    project: Project, trials: dict[Key, Trial], name: str, write_mode: str
) -> None:
    assert trial_of(trials, project, name, write_mode).exit_status == 0

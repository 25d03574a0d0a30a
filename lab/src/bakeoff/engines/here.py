"""Agents on this machine: child processes of the lab."""

import signal
import subprocess
from collections.abc import Iterator, Sequence

from bakeoff import processes
from bakeoff.engines.instructions import Instructions
from bakeoff.engines.transport import Assignment

# The protocol allows 5 s for replies in flight; the rest is for writing what is known.
_STOP_TIMEOUT_S = 10.0


class Here:
    """The transport of this machine. Should the lab be killed, the engine ends, because its standard input does."""

    name = ""

    def start(self, assignment: Assignment) -> "EngineProcess":
        """Starts a child process."""
        return EngineProcess(assignment)


class EngineProcess:
    """An engine as a child process; its ledger is written where the lab wants it."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._is_ended = False
        self._process = processes.start(
            [*assignment.engine.command, *assignment.arguments],
            log=assignment.log,
            stdin=subprocess.PIPE if assignment.is_instructed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            death_signal=signal.SIGTERM,
        )
        self._instructions = None if self._process.stdin is None else Instructions(self._process.stdin)

    @property
    def pids(self) -> Sequence[int]:
        return [self._process.pid]

    @property
    def ledger(self) -> str | None:
        return self._assignment.plan.ledger

    def send(self, line: bytes) -> None:
        assert self._instructions is not None
        self._instructions.send(line)

    def lines(self) -> Iterator[bytes]:
        assert self._process.stdout is not None
        yield from self._process.stdout

    def status(self) -> int:
        return self._process.wait()

    def last_lines(self) -> str:
        return f"Last lines of {self._assignment.log}:\n{processes.last_lines(self._assignment.log)}"

    def fetch_ledger(self) -> None:
        """It is where it is wanted."""

    def interrupt(self) -> None:
        if self._instructions is not None:
            self._instructions.stop()
        elif self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        processes.stop(self._process, signal.SIGINT, _STOP_TIMEOUT_S)
        # What the engine itself may have started.
        processes.kill_session(self._process)
        if self._instructions is not None:
            self._instructions.close()
        if self._process.stdout is not None:
            self._process.stdout.close()

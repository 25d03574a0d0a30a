"""Where agents run: a transport starts an engine with a plan, carries its streams, fetches its ledger, and ends it.

A new transport implements these two classes; nothing else of the lab knows how an agent is reached.
"""

import contextlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from bakeoff.engines.manifest import Engine
from bakeoff.processes import children
from bakeoff.workload.plan_records import Plan

_STOP = b"stop"


class Instructions:
    """Sends whole lines by `write`. `stop` may come from a signal's handler while another line is being sent."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self._write = write
        self._is_writing = False
        self._stops_after = False

    def send(self, line: bytes) -> None:
        """Sends a line; an engine that has ended reads none, and its stream shows why."""
        self._is_writing = True
        try:
            self._write(line + b"\n")
        finally:
            self._is_writing = False
        if self._stops_after:
            self._stops_after = False
            self.send(_STOP)

    def stop(self) -> None:
        if self._is_writing:
            self._stops_after = True
        else:
            self.send(_STOP)


class PipedInstructions(Instructions):
    def __init__(self, stdin: IO[bytes]) -> None:
        super().__init__(self._write_whole)
        self._stdin = stdin

    def close(self) -> None:
        """Ends the instructions, and the engine with them."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def _write_whole(self, left: bytes) -> None:
        # Unbuffered: a buffer is not to be written to from a signal's handler.
        with contextlib.suppress(BrokenPipeError, ValueError):
            while left:
                left = left[os.write(self._stdin.fileno(), left) :]


# The optional feature of an engine that takes `--agent K/N` and instructions on its standard input.
FEATURE = "agents"


@dataclass(frozen=True)
class Assignment:
    """An agent's work: part `number` of `of` (from 1) of a plan.

    `plan.ledger` is where the lab wants the agent's ledger, a path of this machine. `plan_file` is for an engine that
    takes no instructions, and `log` gets what the engine writes to standard error.
    """

    engine: Engine
    plan: Plan
    plan_file: Path
    log: Path
    number: int = 1
    of: int = 1

    @property
    def is_instructed(self) -> bool:
        """Whether the engine reads its plan and instructions from standard input."""
        return self.engine.can(FEATURE)

    @property
    def arguments(self) -> list[str]:
        if self.is_instructed:
            return ["--plan", "-", "--agent", f"{self.number}/{self.of}"]
        return ["--plan", str(self.plan_file)]


class StartedEngine(ABC):
    """An engine that a transport has started. Unless a transport differs, it runs elsewhere and logs on this machine.

    `pids` are its processes on this machine, and `container` is the one that it runs in here; the lab samples their
    CPU and memory.
    """

    pids: Sequence[int] = ()
    container: str | None = None
    # The path of its ledger where it runs elsewhere.
    ledger_there = ""

    def __init__(self, assignment: Assignment, instructions: Instructions | None) -> None:
        self._assignment = assignment
        self._instructions = instructions
        self._is_ended = False
        self._ending = threading.Lock()

    @property
    def ledger(self) -> str | None:
        """The path of its ledger, as the plan that it is sent names it; None where none is wanted."""
        wanted = self._assignment.plan.ledger
        return wanted and (self.ledger_there or wanted)

    def send(self, line: bytes) -> None:
        """Writes a line to its standard input. Does nothing once it has ended: its stream shows how."""
        assert self._instructions is not None
        self._instructions.send(line)

    @abstractmethod
    def lines(self) -> Iterator[bytes]:
        """The lines of its standard output, until it has ended."""

    @abstractmethod
    def status(self) -> int:
        """Its exit status, once its lines have ended."""

    def last_lines(self) -> str:
        """The end of its standard error, for an error message."""
        return f"Last lines of {self._assignment.log}:\n{children.last_lines(self._assignment.log)}"

    def fetch_ledger(self) -> None:  # noqa: B027 — an engine on this machine writes it to its place
        """Copies its ledger to the path of the lab's plan, once its lines have ended. Raises BakeoffError."""

    def interrupt(self) -> None:
        """Asks it to stop sending; its stream still comes to its end."""
        assert self._instructions is not None
        self._instructions.stop()

    def end(self) -> None:
        """Ends it, by force where it does not end by itself, and removes what it left. May be called again."""
        with self._ending:
            if self._is_ended:
                return
            self._is_ended = True
        self._end()

    @abstractmethod
    def _end(self) -> None: ...


class Transport(Protocol):
    @property
    def name(self) -> str:
        """The place as messages name it, such as `ssh://host`; empty for this machine."""
        ...

    def start(self, assignment: Assignment) -> StartedEngine:
        """Starts the engine there. An instructed one is sent its plan by the caller. Raises BakeoffError."""
        ...

"""Agents on this machine: children of the lab, or containers that it starts."""

import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.engines.transport import Assignment, PipedInstructions, StartedEngine
from bakeoff.processes.launching import PROCESSES, Launcher, Program, own_user

# The protocol allows 5 s for replies in flight; the rest is for writing what is known.
_STOP_TIMEOUT_S = 10.0


class Here:
    """The transport of this machine. Should the lab be killed, the engine ends, because its standard input does."""

    name = ""

    def __init__(self, launcher: Launcher = PROCESSES, reads: Sequence[Path] = ()) -> None:
        """`reads` are folders of files that plans name."""
        self._launcher = launcher
        self._reads = reads

    def start(self, assignment: Assignment) -> "EngineProcess":
        return EngineProcess(assignment, self._launcher, self._reads)


class EngineProcess(StartedEngine):
    def __init__(self, assignment: Assignment, launcher: Launcher, reads: Sequence[Path]) -> None:
        self._launcher = launcher
        image, own = assignment.engine.in_container
        self._process = launcher.start(
            Program(
                role="engine",
                command=[*assignment.engine.command, *assignment.arguments],
                log=assignment.log,
                stdin=subprocess.PIPE if assignment.is_instructed else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                death_signal=signal.SIGTERM,
                image=image,
                # The plan and the ledger.
                folders=[assignment.plan_file.parent],
                reads=[*reads, *own],
                user=own_user(),
            )
        )
        self._stdin = None if self._process.stdin is None else PipedInstructions(self._process.stdin)
        super().__init__(assignment, self._stdin)

    @property
    def container(self) -> str | None:  # type: ignore[override]
        return self._launcher.container_of(self._process)

    @property
    def pids(self) -> Sequence[int]:  # type: ignore[override]
        return [] if self.container else [self._process.pid]

    def lines(self) -> Iterator[bytes]:
        assert self._process.stdout is not None
        yield from self._process.stdout

    def status(self) -> int:
        return self._process.wait()

    def interrupt(self) -> None:
        if self._stdin is not None:
            super().interrupt()
        elif self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def _end(self) -> None:
        self._launcher.end(self._process, signal.SIGINT, _STOP_TIMEOUT_S)
        if self._stdin is not None:
            self._stdin.close()
        if self._process.stdout is not None:
            self._process.stdout.close()

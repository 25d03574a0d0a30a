"""When a k6 process starts: by itself, or with the others of its kind when the lab instructs it to."""

import time
from collections.abc import Callable
from typing import Protocol

from k6_engine.instructions import Clock, Go, Instructions
from k6_engine.k6_process import K6Error, K6Process
from k6_engine.plan import Group
from k6_engine.records import Stream

_LOOK_SECONDS = 0.05
_NS_PER_SECOND = 1e9


class Start(Protocol):
    """Starts the phases of a group."""

    @property
    def is_paused(self) -> bool:
        """Whether k6 is to wait for `begin`."""
        ...

    def begin(self, process: K6Process, group: Group) -> None:
        """Returns once the k6 runs, has ended, or is not to run. Raises K6Error where it cannot be started."""
        ...


class AtOnce:
    """k6 starts as soon as it has made its users."""

    is_paused = False

    def begin(self, process: K6Process, group: Group) -> None:
        """It has begun by itself."""


class WhenInstructed:
    """k6 waits with its users made. One `go` starts all phases of a group: k6 keeps users and connections over them."""

    is_paused = True

    def __init__(self, instructions: Instructions, stream: Stream, interrupted: Callable[[], bool]) -> None:
        self._instructions = instructions
        self._stream = stream
        self._interrupted = interrupted

    def begin(self, process: K6Process, group: Group) -> None:
        """Reports that k6 is ready, answers what is asked of the clock, and starts k6 at the instant that is named."""
        while not process.is_waiting():
            if process.has_ended or self._interrupted():
                return
            time.sleep(_LOOK_SECONDS)
        first, last = group.phases[0].index, group.phases[-1].index
        self._stream.write("ready", phase=first, last_phase=last, time_unix_ns=time.time_ns())
        go = self._awaited_go(process)
        if go is None or not self._waited_until(go.at_unix_ns or 0):
            return
        try:
            process.resume()
        except OSError as error:
            raise K6Error(f"k6 cannot be started: {error}") from error

    def _awaited_go(self, process: K6Process) -> Go | None:
        while not (process.has_ended or self._interrupted()):
            instruction = self._instructions.next(_LOOK_SECONDS)
            if isinstance(instruction, Go):
                return instruction
            if isinstance(instruction, Clock):
                self._stream.write("clock", id=instruction.identifier, time_unix_ns=time.time_ns())
        return None

    def _waited_until(self, at_unix_ns: int) -> bool:
        """Whether the instant came before an interruption."""
        while (left_ns := at_unix_ns - time.time_ns()) > 0:
            if self._interrupted():
                return False
            time.sleep(min(left_ns / _NS_PER_SECOND, _LOOK_SECONDS))
        return True

"""Reads the lab's instructions from standard input: the plan as the first line, then one instruction a line."""

import os
import select
from collections import deque
from dataclasses import dataclass

_BLOCK_BYTES = 1 << 16
_STOP = b"stop"


@dataclass(frozen=True)
class Clock:
    """Asks what the clock shows."""

    identifier: int


@dataclass(frozen=True)
class Go:
    """Starts what is ready, at an instant of this engine's clock in Unix nanoseconds, or at once."""

    at_unix_ns: int | None


class Instructions:
    """Reads a descriptor without a thread, so that nothing is left reading when the engine ends.

    The end of the input is `stop`: it is how an engine ends whose lab was killed.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._plan: bytes | None = None
        self._arrived: deque[Clock | Go] = deque()
        self._rest: list[bytes] = []
        self._are_over = False

    def plan(self) -> bytes | None:
        """Waits for the first line; None where the input ends before."""
        while self._plan is None and not self._are_over:
            self._read(None)
        return self._plan

    def next(self, timeout_s: float) -> Clock | Go | None:
        """The next one that arrives in time."""
        if not self._arrived and not self._are_over:
            self._read(timeout_s)
        return self._arrived.popleft() if self._arrived else None

    def are_over(self) -> bool:
        """Whether `stop`, or the end of the input, has arrived."""
        if not self._are_over:
            self._read(0)
        return self._are_over

    def _read(self, timeout_s: float | None) -> None:
        if not select.select([self._descriptor], [], [], timeout_s)[0]:
            return
        block = os.read(self._descriptor, _BLOCK_BYTES)
        if not block:
            self._are_over = True
            return
        # Only the new block is searched: a plan may have megabytes.
        *ends, rest = block.split(b"\n")
        for end in ends:
            self._take(b"".join([*self._rest, end]))
            self._rest = []
        self._rest.append(rest)

    def _take(self, line: bytes) -> None:
        word, _, number = line.strip().partition(b" ")
        if self._plan is None:
            self._plan = line
        elif word == _STOP:
            self._are_over = True
        elif word == b"clock" and number.isdigit():
            self._arrived.append(Clock(int(number)))
        elif word == b"go" and (not number or number.isdigit()):
            self._arrived.append(Go(int(number) if number else None))

"""Lines that the lab sends to an engine: its plan, then instructions."""

import contextlib
import os
from collections.abc import Callable
from typing import IO

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

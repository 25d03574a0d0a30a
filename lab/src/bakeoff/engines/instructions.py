"""Lines that the lab writes to an engine's standard input: its plan, then instructions."""

import contextlib
import os
from typing import IO

_STOP = b"stop"


class Instructions:
    """Writes whole lines. `stop` may come from a signal's handler while another line is being written."""

    def __init__(self, stdin: IO[bytes]) -> None:
        self._stdin = stdin
        self._is_writing = False
        self._stops_after = False

    def send(self, line: bytes) -> None:
        """Writes a line; an engine that has ended reads none, and its stream shows why."""
        self._is_writing = True
        try:
            self._write(line + b"\n")
        finally:
            self._is_writing = False
        if self._stops_after:
            self._stops_after = False
            self._write(_STOP + b"\n")

    def stop(self) -> None:
        """Instructs the engine to stop."""
        if self._is_writing:
            self._stops_after = True
        else:
            self.send(_STOP)

    def close(self) -> None:
        """Ends the instructions, and the engine with them."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()

    def _write(self, left: bytes) -> None:
        # Unbuffered: a buffer is not to be written to from a signal's handler.
        with contextlib.suppress(BrokenPipeError, ValueError):
            while left:
                left = left[os.write(self._stdin.fileno(), left) :]

"""The result stream: JSON lines on one output, flushed record by record so that a reader follows live."""

import json
import time
from typing import Any, Literal, TextIO

Level = Literal["info", "warning", "error"]
Reason = Literal["completed", "interrupted", "failed"]

NS_PER_US = 1000


class Stream:
    """Writes records. A reader that closed the stream raises BrokenPipeError at the next record."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def write(self, record_type: str, **members: Any) -> None:
        """Writes one record of formats/stream.schema.json."""
        self._output.write(json.dumps({"type": record_type} | members, separators=(",", ":")) + "\n")
        self._output.flush()

    def note(self, level: Level, message: str) -> None:
        """Writes words about the run."""
        self.write("note", level=level, message=message)

    def end(self, reason: Reason, message: str) -> None:
        """Writes the last record."""
        self.write("end", reason=reason, message=message, time_unix_ns=time.time_ns())

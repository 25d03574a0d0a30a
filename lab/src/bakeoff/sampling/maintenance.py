"""Vacuum at the edges of phases: what would otherwise strike one contender's window at random."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg

from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server


@dataclass
class EdgeVacuum:
    """Vacuums and analyses the database while levels settle, one at a time; `spans` are when, in Unix nanoseconds.

    It runs beside the load, as autovacuum does, but in the same place of every run. A server that refuses, or is gone,
    is left alone.
    """

    server: Server
    spans: list[tuple[int, int]] = field(default_factory=list)
    _running: threading.Thread | None = None

    def begin(self) -> None:
        """Starts a vacuum, unless the one before is still at it."""
        if self._running is None or not self._running.is_alive():
            self._running = threading.Thread(target=self._vacuum, name="edge-vacuum", daemon=True)
            self._running.start()

    def __enter__(self) -> "EdgeVacuum":
        return self

    def __exit__(self, *_: object) -> None:
        if self._running is not None:
            self._running.join()

    def _vacuum(self) -> None:
        began_ns = time.time_ns()
        try:
            with self.server.connect() as connection:
                connection.execute("VACUUM (ANALYZE)")
        except (BakeoffError, psycopg.Error):
            return
        self.spans.append((began_ns, time.time_ns()))


def seconds_within(spans: Sequence[tuple[int, int]], begin_ns: int, end_ns: int) -> float:
    """How long spans overlap with a time."""
    return sum(max(0, min(end, end_ns) - max(begin, begin_ns)) for begin, end in spans) / 1e9

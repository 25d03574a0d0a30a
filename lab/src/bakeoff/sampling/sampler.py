"""Samples several process trees once a second while a run goes on."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType

from bakeoff.sampling.process_tree import ProcessTree

PERIOD_S = 1.0


@dataclass(frozen=True)
class Sample:
    """One role's usage at one instant. `cpu_s` is cumulative."""

    time_unix_ns: int
    role: str
    cpu_s: float
    memory_bytes: int


class Sampler:
    """Takes a sample of each role on entry, each second, and on exit; `samples` grows meanwhile."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._trees = {role: ProcessTree(pid) for role, pid in pids.items()}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sampler", daemon=True)
        self._lock = threading.Lock()
        self.samples: list[Sample] = []

    def __enter__(self) -> "Sampler":
        self.sample()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()
        self.sample()

    def sample(self) -> None:
        """Takes a sample now, besides those of each second: at the edges of phases."""
        with self._lock:
            for role, tree in self._trees.items():
                usage = tree.usage()
                if usage is not None:
                    self.samples.append(Sample(time.time_ns(), role, usage.cpu_s, usage.memory_bytes))

    def _loop(self) -> None:
        next_at = time.monotonic() + PERIOD_S
        while not self._done.wait(max(0.0, next_at - time.monotonic())):
            self.sample()
            next_at += PERIOD_S

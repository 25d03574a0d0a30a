"""Samples what each role uses, once a second while a run goes on."""

import threading
import time
from collections.abc import Callable, Mapping

from bakeoff.results.cost import Sample
from bakeoff.sampling.process_tree import UsageSource

PERIOD_S = 1.0

# Proportional memory is asked for so seldom that it takes no more than this share of one core.
_PROPORTIONAL_SHARE = 0.003


class Sampler:
    """Takes a sample of each role on entry, each second, and on exit; `samples` grows meanwhile.

    A second is left out where samples are not `wanted`, so that sampling disturbs no other side's turn.
    `processes` are the samples of each of the processes `apart`, by name: parts of a role that is sampled as a whole.
    `own_cpu_s` is the CPU time that sampling itself has taken.
    """

    def __init__(
        self,
        sources: Mapping[str, UsageSource],
        apart: Mapping[str, UsageSource] | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self._sources = sources
        self._apart = apart or {}
        self._wanted = wanted
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sampler", daemon=True)
        self._lock = threading.Lock()
        self._proportional_at_s = 0.0
        self.samples: list[Sample] = []
        self.processes: dict[str, list[Sample]] = {name: [] for name in self._apart}
        self.own_cpu_s = 0.0

    def __enter__(self) -> "Sampler":
        self.sample()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self.sample()

    def sample(self) -> None:
        """Takes a sample now, besides those of each second: at the edges of phases."""
        with self._lock:
            self._take(with_proportional=False)

    def _take(self, *, with_proportional: bool) -> None:
        began_s = time.thread_time()
        for role, source in self._sources.items():
            self.samples += _sample(role, source, with_proportional=with_proportional)
        for name, source in self._apart.items():
            self.processes[name] += _sample("target", source, with_proportional=with_proportional)
        self.own_cpu_s += time.thread_time() - began_s

    def _loop(self) -> None:
        next_at = time.monotonic() + PERIOD_S
        while not self._done.wait(max(0.0, next_at - time.monotonic())):
            next_at += PERIOD_S
            if not self._wanted():
                continue
            with self._lock:
                with_proportional, before_s = time.monotonic() >= self._proportional_at_s, self.own_cpu_s
                self._take(with_proportional=with_proportional)
                if with_proportional:
                    took_s = self.own_cpu_s - before_s
                    self._proportional_at_s = time.monotonic() + took_s / _PROPORTIONAL_SHARE


def _sample(role: str, source: UsageSource, *, with_proportional: bool) -> list[Sample]:
    """A sample of the source now; none where it has ended."""
    usage = source.usage()
    if usage is None:
        return []
    proportional = source.proportional_bytes() if with_proportional else None
    return [Sample(time.time_ns(), role, usage.cpu_s, usage.memory_bytes, proportional)]

"""CPU time and memory of a process and all it started."""

from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Usage:
    """Cumulative CPU seconds, and resident memory in bytes at this moment."""

    cpu_s: float
    memory_bytes: int


class ProcessTree:
    """A root process and its descendants. CPU time of descendants that have ended is not lost."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._last: dict[int, float] = {}
        self._ended_s = 0.0

    def usage(self) -> Usage | None:
        """The tree's usage now, or None when its root has ended."""
        try:
            members = [self._root, *self._root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return None
        cpu: dict[int, float] = {}
        private_bytes = shared_bytes = 0
        for member in members:
            try:
                times, memory = member.cpu_times(), member.memory_info()
            except psutil.NoSuchProcess:
                continue
            cpu[member.pid] = times.user + times.system
            # Pages that processes share (PostgreSQL's buffers) are counted once.
            shared = getattr(memory, "shared", 0)
            private_bytes += memory.rss - shared
            shared_bytes = max(shared_bytes, shared)
        if not cpu:
            return None
        self._ended_s += sum(seconds for pid, seconds in self._last.items() if pid not in cpu)
        self._last = cpu
        return Usage(sum(cpu.values()) + self._ended_s, private_bytes + shared_bytes)

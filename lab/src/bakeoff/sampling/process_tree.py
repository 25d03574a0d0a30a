"""CPU time and memory of a role of a run: of a process and all it started, or of several sources together."""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import psutil


@dataclass(frozen=True)
class Usage:
    """Cumulative CPU seconds, and resident memory in bytes at this moment."""

    cpu_s: float
    memory_bytes: int


class UsageSource(Protocol):
    """Something whose usage can be asked for again and again."""

    def usage(self) -> Usage | None:
        """Its usage now, or None when it has ended."""
        ...

    def proportional_bytes(self) -> int | None:
        """Memory in which each page is divided by the number of processes that share it (PSS); None where unknown."""
        return None


class Together:
    """Several sources as one. What a source had used before it ended stays counted."""

    def __init__(self, sources: Sequence[UsageSource]) -> None:
        self._sources = sources
        self._cpu_s = [0.0] * len(sources)

    def usage(self) -> Usage | None:
        """The sum of all, or None when all have ended."""
        usages = [source.usage() for source in self._sources]
        for index, usage in enumerate(usages):
            if usage is not None:
                self._cpu_s[index] = usage.cpu_s
        left = [usage for usage in usages if usage is not None]
        return Usage(sum(self._cpu_s), sum(usage.memory_bytes for usage in left)) if left else None

    def proportional_bytes(self) -> int | None:
        """The sum of those that report it, or None where none does."""
        reported = [source.proportional_bytes() for source in self._sources]
        return sum(filter(None, reported)) or None


_HAS_CHILDREN_LISTS = Path(f"/proc/self/task/{os.getpid()}/children").exists()


class ProcessTree:
    """A root process and its descendants. CPU time of descendants that have ended is not lost."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._last: dict[int, float] = {}
        self._ended_s = 0.0
        self._members: list[psutil.Process] = []

    def usage(self) -> Usage | None:
        """The tree's usage now, or None when its root has ended."""
        try:
            members = [self._root, *self._descendants()]
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
            # A sum would count PostgreSQL's buffers several times: of shared pages those of the process that has most.
            shared = getattr(memory, "shared", 0)
            private_bytes += memory.rss - shared
            shared_bytes = max(shared_bytes, shared)
        if not cpu:
            return None
        self._members = members
        self._ended_s += sum(seconds for pid, seconds in self._last.items() if pid not in cpu)
        self._last = cpu
        return Usage(sum(cpu.values()) + self._ended_s, private_bytes + shared_bytes)

    def _descendants(self) -> list[psutil.Process]:
        """All below the root. The kernel's own lists cost a tenth of looking at every process of the machine."""
        if not _HAS_CHILDREN_LISTS:
            return self._root.children(recursive=True)
        known = {member.pid: member for member in self._members}
        found: dict[int, psutil.Process] = {}
        waiting = _children_of(self._root.pid)
        while waiting:
            pid = waiting.pop()
            with contextlib.suppress(psutil.NoSuchProcess):
                found[pid] = known.get(pid) or psutil.Process(pid)
                waiting += _children_of(pid)
        if not found and not self._root.is_running():
            raise psutil.NoSuchProcess(self._root.pid)
        return list(found.values())

    def proportional_bytes(self) -> int | None:
        """Memory of the last `usage`'s processes, each page divided by the number that share it (PSS).

        The kernel walks page tables for it, which costs milliseconds for a large process. None where that fails.
        """
        total = 0
        for member in self._members:
            try:
                # Not every system has it.
                total += getattr(member.memory_full_info(), "pss", 0)
            except psutil.NoSuchProcess:
                continue
            except psutil.AccessDenied:
                return None
        return total or None


def _children_of(pid: int) -> list[int]:
    """Children that any thread of a process has started."""
    children: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                children += map(int, (thread / "children").read_bytes().split())
    return children

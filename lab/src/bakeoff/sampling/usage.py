"""The usage of a role of a run, whether it is one process, several, or a container."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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
        """Memory in which each page counts in proportion to who shares it (PSS); None where unknown."""
        ...


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

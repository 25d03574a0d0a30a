"""CPU time and memory of a container: by the kernel's accounts where they are in sight, else by the engine's."""

from collections.abc import Mapping

import msgspec

from bakeoff.containers.container import Container
from bakeoff.containers.docker import DockerEngine
from bakeoff.errors import BakeoffError
from bakeoff.sampling.cgroup import group_of, resident_bytes
from bakeoff.sampling.usage import Usage, UsageSource


class StatsUsage:
    """A container's usage as the engine reports it, one request for each look."""

    def __init__(self, docker: DockerEngine, container: Container) -> None:
        self._docker = docker
        self._path = f"/containers/{container.id}/stats?stream=false&one-shot=true"

    def usage(self) -> Usage | None:
        """Its usage now, or None when it has ended or the engine does not answer."""
        try:
            stats = self._docker.get(self._path)
        except BakeoffError:
            return None
        memory = msgspec.convert(stats.get("memory_stats") or {}, _Memory)
        # Of a container that has stopped the engine still answers, without figures.
        if memory.usage is None:
            return None
        return Usage(
            stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9, _memory_bytes(memory.usage, memory.stats or {})
        )

    def proportional_bytes(self) -> int | None:
        """The engine does not account for it."""
        return None


class _Memory(msgspec.Struct):
    usage: int | None = None
    stats: Mapping[str, int] | None = None


def _memory_bytes(usage: int, stats: Mapping[str, int]) -> int:
    """Resident memory, as the kernel's own accounts would say; some engines tell no more than the sum with caches."""
    try:
        return resident_bytes(stats)
    except KeyError:
        return usage


def usage_of(docker: DockerEngine, container: Container) -> UsageSource:
    """The source of its usage: reading files costs microseconds, a request to the engine milliseconds."""
    return group_of(container.pid, container.id) or StatsUsage(docker, container)

"""A running container: what it runs, what it may use, and the CPU time and memory that it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import msgspec

from bakeoff.builds.build import Build
from bakeoff.containers.docker import DockerEngine
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError, NotFoundError
from bakeoff.sampling.cgroup import group_of, resident_bytes
from bakeoff.sampling.process_tree import Usage, UsageSource

_MIB = 1 << 20


@dataclass(frozen=True)
class Container:
    """A running container. Limits are None where it has none; `image_digest` is the registry's, else the image's id.

    `pid` is its first process as the engine counts processes. `started_at` distinguishes one start from the next.
    """

    id: str
    name: str
    image: str
    image_digest: str
    pid: int
    started_at: str
    limit_cpus: float | None
    limit_memory_bytes: int | None
    cpus: str | None

    def described(self) -> dict[str, str]:
        limit = self.limit_memory_bytes
        limits = [
            f"{self.limit_cpus:g} CPUs" if self.limit_cpus else None,
            f"CPUs {self.cpus}" if self.cpus else None,
            f"{limit / _MIB:g} MiB" if limit else None,
        ]
        return {
            **({} if limit is None else {"memory_limit_mib": f"{limit / _MIB:.12g}"}),
            "container": f"{self.name} ({self.id[:12]})",
            "image": self.image,
            "image_digest": self.image_digest,
            "limits": ", ".join(filter(None, limits)) or "none",
        }


def find_container(docker: DockerEngine, name: str) -> Container:
    """The container of that name or id. Raises BakeoffError when there is none, or when it does not run."""
    try:
        found = docker.get(f"/containers/{quote(name, safe='')}/json")
    except NotFoundError as error:
        running = ", ".join(sorted(_name(each["Names"][0]) for each in docker.get("/containers/json"))) or "none"
        raise BakeoffError(f'There is no container "{name}". Running ones: {running}.') from error
    _check_at_work(name, found["State"])
    host, period = found["HostConfig"], found["HostConfig"].get("CpuPeriod") or 100_000
    cpus = (host.get("NanoCpus") or 0) / 1e9 or (host.get("CpuQuota") or 0) / period
    return Container(
        id=found["Id"],
        name=_name(found["Name"]),
        image=found["Config"]["Image"],
        image_digest=_digest(docker, found["Image"]),
        pid=found["State"]["Pid"],
        started_at=found["State"]["StartedAt"],
        limit_cpus=cpus if cpus > 0 else None,
        limit_memory_bytes=host.get("Memory") or None,
        cpus=host.get("CpusetCpus") or None,
    )


def _check_at_work(name: str, state: Mapping[str, Json]) -> None:
    # A container that is paused counts as running too.
    if state.get("Paused"):
        raise BakeoffError(f"The container {name} is paused: docker unpause {name}.")
    if state.get("Restarting"):
        raise BakeoffError(f"The container {name} keeps restarting: docker logs {name} shows why.")
    if not state.get("Running"):
        raise BakeoffError(f"The container {name} is not running ({state.get('Status')}): docker start {name}.")


def _digest(docker: DockerEngine, image_id: str) -> str:
    """The registry's digest, by which the same image can be pulled; one that was built here has only its id."""
    try:
        digests = docker.get(f"/images/{quote(image_id, safe='')}/json").get("RepoDigests")
    except NotFoundError:
        # The image was removed, or its tag moved on, while the container lives.
        return image_id
    return str(digests[0]) if digests else image_id


def _name(name: str) -> str:
    return name.removeprefix("/")


def forget_removed_images(docker: DockerEngine, builds: Sequence[Build]) -> None:
    """An image that was built, and that the engine has no more, is to be built again."""
    for build in builds:
        if build.image is not None and build.image.exists():
            try:
                docker.get(f"/images/{build.image.read_text('utf-8').strip()}/json")
            except NotFoundError:
                build.image.unlink()


class StatsUsage(UsageSource):
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
        try:
            resident = resident_bytes(memory.stats or {})
        except KeyError:
            # Some engines report no more than the sum with caches.
            resident = memory.usage
        return Usage(stats["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9, resident)


class _Memory(msgspec.Struct):
    usage: int | None = None
    stats: Mapping[str, int] | None = None


def usage_of(docker: DockerEngine, container: Container) -> UsageSource:
    """The source of its usage: reading files costs microseconds, a request to the engine milliseconds."""
    return group_of(container.pid, container.id) or StatsUsage(docker, container)

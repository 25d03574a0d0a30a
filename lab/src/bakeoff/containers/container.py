"""A container at work: what it runs, and what it may use."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from bakeoff.containers.docker import DockerEngine
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError, NotFoundError

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

    @property
    def limits(self) -> str:
        words = [
            f"{self.limit_cpus:g} CPUs" if self.limit_cpus else None,
            f"CPUs {self.cpus}" if self.cpus else None,
            f"{self.limit_memory_bytes / _MIB:g} MiB" if self.limit_memory_bytes else None,
        ]
        return ", ".join(filter(None, words)) or "none"

    def described(self) -> dict[str, str]:
        limit = self.limit_memory_bytes
        return {
            **({} if limit is None else {"memory_limit_mib": f"{limit / _MIB:.12g}"}),
            "container": f"{self.name} ({self.id[:12]})",
            "image": self.image,
            "image_digest": self.image_digest,
            "limits": self.limits,
        }


def find_container(docker: DockerEngine, name: str) -> Container:
    """The container of that name or id. Raises BakeoffError when there is none, or when it is not at work."""
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

"""CPU time and memory of a container by the kernel's own accounts, of either cgroup layout."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bakeoff.sampling.process_tree import Usage, UsageSource

_PROC = Path("/proc")
_ROOT = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class CgroupUsage(UsageSource):
    """A group's usage: `cpu` is a file of the unified layout (cpu.stat) or of the older one (cpuacct.usage)."""

    cpu: Path
    memory_stat: Path

    def usage(self) -> Usage | None:
        """The group's usage now, or None when it is gone."""
        try:
            if self.cpu.name == "cpu.stat":
                cpu_s = _counts(self.cpu)["usage_usec"] / 1e6
            else:
                cpu_s = int(self.cpu.read_text("utf-8")) / 1e9
            return Usage(cpu_s, resident_bytes(_counts(self.memory_stat)))
        except OSError:
            return None


def group_of(pid: int, container_id: str, proc: Path = _PROC, root: Path = _ROOT) -> CgroupUsage | None:
    """The group of a container's first process, or None where its accounts are out of sight.

    An engine in a virtual machine, or a lab in its own container, counts processes differently: only a group that
    bears the container's id is taken.
    """
    try:
        lines = (proc / str(pid) / "cgroup").read_text("utf-8").splitlines()
    except OSError:
        return None
    paths = {controllers: path for _, controllers, path in (line.split(":", 2) for line in lines)}
    cpu = _folder(paths, "cpuacct", container_id, root)
    memory = _folder(paths, "memory", container_id, root)
    unified = _folder(paths, "", container_id, root)
    if cpu is not None and memory is not None:
        found = CgroupUsage(cpu / "cpuacct.usage", memory / "memory.stat")
    elif unified is not None:
        found = CgroupUsage(unified / "cpu.stat", unified / "memory.stat")
    else:
        return None
    return found if found.usage() is not None else None


def resident_bytes(counts: Mapping[str, int]) -> int:
    """Resident memory by the counts of memory.stat: pages of no file, and those of files that processes have mapped.

    What the page cache holds besides is the kernel's, which takes it back when a process needs it.
    """
    if "anon" in counts:
        return counts["anon"] + counts["file_mapped"]
    return counts["total_rss"] + counts["total_mapped_file"]


def _folder(paths: Mapping[str, str], controller: str, container_id: str, root: Path) -> Path | None:
    """Where a controller keeps the accounts of the container, up to the part of the path that names it."""
    for controllers, path in paths.items():
        if controller in controllers.split(","):
            parts = Path(path.lstrip("/")).parts
            own = [number for number, part in enumerate(parts) if container_id in part]
            return root.joinpath(controllers, *parts[: own[0] + 1]) if own else None
    return None


def _counts(file: Path) -> dict[str, int]:
    """A flat keyed file: a name and a number on each line."""
    return {name: int(count) for name, count in (line.split() for line in file.read_text("utf-8").splitlines())}

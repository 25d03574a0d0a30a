"""CPU and memory limits of a target, by a cgroup of its own (version 2)."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.running.isolation import Isolation

_ROOT = Path("/sys/fs/cgroup")
_CONTROLLERS = {"cpu", "memory"}
_PERIOD_US = 100_000
# Joins the group before the target's first instruction, so that nothing of it escapes the limits.
_JOIN = ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"')


@contextlib.contextmanager
def limited(isolation: Isolation, root: Path = _ROOT) -> Iterator[Sequence[str]]:
    """The prefix of a command that is to run under the limits; the group is removed with the block.

    Raises BakeoffError where this machine or user cannot set them: limits that do not hold would be worse than none.
    """
    cpus, memory_bytes = isolation.cpus.get("target"), isolation.memory_bytes.get("target")
    if cpus is None and memory_bytes is None:
        yield ()
        return
    group = _parent(root) / f"bakeoff-{os.getpid()}"
    try:
        group.mkdir()
        if cpus is not None:
            (group / "cpu.max").write_text(f"{round(cpus * _PERIOD_US)} {_PERIOD_US}")
        if memory_bytes is not None:
            (group / "memory.max").write_text(str(memory_bytes))
            # A target that swaps would be measured at the disk's speed instead of failing.
            with contextlib.suppress(FileNotFoundError):
                (group / "memory.swap.max").write_text("0")
    except OSError as error:
        _remove(group)
        raise _refused(f"{error.filename} cannot be written ({error.strerror})") from error
    try:
        yield (*_JOIN, str(group))
    finally:
        _remove(group)


def check_limits(isolation: Isolation, root: Path = _ROOT) -> None:
    """Raises BakeoffError, before anything is built, where limits that are asked for cannot be set."""
    beside = sorted({*isolation.cpus, *isolation.memory_bytes} - {"target"})
    if beside:
        raise UsageError(
            f"--limit-cpus and --limit-memory of {' and '.join(beside)} need --in docker: of processes only the target "
            "has limits."
        )
    with limited(isolation, root):
        pass


def _parent(root: Path) -> Path:
    """The group below which new ones can be made with the controllers that limits need."""
    try:
        given = set((root / "cgroup.subtree_control").read_text("utf-8").split())
    except OSError as error:
        if (root / "memory").is_dir():
            raise _refused(f"{root} is a cgroup version 1 file system (chosen when the kernel boots)") from error
        raise _refused(f"{root} is not a cgroup version 2 file system") from error
    missing = sorted(_CONTROLLERS - given)
    if missing:
        raise _refused(f"the controllers {' and '.join(missing)} are not enabled in {root}/cgroup.subtree_control")
    return root


def _remove(group: Path) -> None:
    with contextlib.suppress(OSError):
        group.rmdir()


def _refused(reason: str) -> BakeoffError:
    return BakeoffError(
        f"--limit-cpus and --limit-memory need cgroup version 2 and permission to use it, but {reason}. Run as root on "
        "a machine that has it (most Linux systems since 2021), use --in docker, or omit the limits."
    )

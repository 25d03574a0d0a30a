"""Isolates the roles of a run: CPUs that they are pinned to, and limits of a target by a cgroup (version 2)."""

import contextlib
import os
from collections.abc import Iterator, Sequence, Set
from pathlib import Path

import psutil

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.kinds import Pins
from bakeoff.options.table import EveryRunTable

_ROOT = Path("/sys/fs/cgroup")
_CONTROLLERS = {"cpu", "memory"}
_PERIOD_US = 100_000
# Joins the group before the target's first instruction, so that nothing of it escapes the limits.
_JOIN = ("sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"')


def check_pins(pins: Pins, available: Set[int]) -> None:
    """Raises UsageError for CPUs that this process may not use."""
    for role, cpus in pins.items():
        missing = sorted(set(cpus) - available)
        if missing:
            here = ", ".join(map(str, sorted(available)))
            named = "+".join(map(str, cpus))
            raise UsageError(f"--pin gives {role} the CPUs {named}, but this process may use only {here}.")


def usable_cpus() -> set[int]:
    """CPUs that this process may use. Raises BakeoffError where the system has no such notion."""
    if not hasattr(os, "sched_getaffinity"):
        raise BakeoffError("--pin needs Linux: this system cannot bind processes to CPUs. Leave it out.")
    return set(os.sched_getaffinity(0))


@contextlib.contextmanager
def pinned_to(cpus: tuple[int, ...] | None) -> Iterator[None]:
    """Children that are started in the block run on these CPUs, and so do all their threads; None: anywhere."""
    if cpus is None:
        yield
        return
    # A child inherits the CPUs of the thread that starts it: nothing has to be moved later.
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def tree_pinned_to(pid: int, cpus: tuple[int, ...] | None) -> Iterator[None]:
    """Binds a running process, its threads and its children to CPUs while the block lasts; None: leaves them."""
    if cpus is None:
        yield
        return
    before = os.sched_getaffinity(pid)
    _bind_tree(pid, set(cpus))
    try:
        yield
    finally:
        # After a crash another process has its place, which was started with the binding.
        with contextlib.suppress(psutil.NoSuchProcess):
            _bind_tree(pid, before)


def _bind_tree(pid: int, cpus: Set[int]) -> None:
    root = psutil.Process(pid)
    for process in [root, *root.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            for thread in process.threads():
                os.sched_setaffinity(thread.id, cpus)


@contextlib.contextmanager
def limited(isolation: EveryRunTable, root: Path = _ROOT) -> Iterator[Sequence[str]]:
    """The prefix of a command that is to run under the limits; the group is removed with the block.

    Raises BakeoffError where this machine or user cannot set them: limits that do not hold would be worse than none.
    """
    cpus, memory_bytes = isolation.limit_cpus.get("target"), isolation.limit_memory_bytes.get("target")
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


def check_limits(isolation: EveryRunTable, root: Path = _ROOT) -> None:
    """Raises BakeoffError, before anything is built, where limits that are asked for cannot be set."""
    beside = sorted({*isolation.limit_cpus, *isolation.limit_memory_bytes} - {"target"})
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

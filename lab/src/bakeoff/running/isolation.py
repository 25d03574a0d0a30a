"""CPUs that roles are pinned to, and the limits of a target."""

import contextlib
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

import psutil

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.kinds import Pins
from bakeoff.options.option import changed
from bakeoff.options.table import RunTable


@dataclass(frozen=True)
class Isolation:
    """`pin` maps roles (target, database, engine) to CPUs; the limits are the target's. Nothing by default.

    `cpus_beside` and `memory_beside` are limits of the other roles, which only containers can have.
    """

    pin: Pins = field(default_factory=dict)
    limit_cpus: float | None = None
    limit_memory_bytes: int | None = None
    cpus_beside: Mapping[str, float] = field(default_factory=dict)
    memory_beside: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_limits(self) -> bool:
        return self.limit_cpus is not None or self.limit_memory_bytes is not None

    @property
    def memory_limit_mib(self) -> str:
        """For a run's record; empty without a limit."""
        return "" if self.limit_memory_bytes is None else f"{self.limit_memory_bytes / 2**20:.12g}"

    def described(self) -> dict[str, str]:
        """For a run's record."""
        options = RunTable(pin=self.pin, limit_cpus=self.cpus, limit_memory_bytes=self.memory_bytes)
        return changed(options, RunTable)

    @property
    def cpus(self) -> Mapping[str, float]:
        """The limits of CPUs by role."""
        return {**({} if self.limit_cpus is None else {"target": self.limit_cpus}), **self.cpus_beside}

    @property
    def memory_bytes(self) -> Mapping[str, int]:
        """The limits of memory by role."""
        own = {} if self.limit_memory_bytes is None else {"target": self.limit_memory_bytes}
        return {**own, **self.memory_beside}


def isolation_of(options: RunTable) -> Isolation:
    """What the options of a run ask for."""
    return Isolation(
        options.pin,
        options.limit_cpus.get("target"),
        options.limit_memory_bytes.get("target"),
        {role: cpus for role, cpus in options.limit_cpus.items() if role != "target"},
        {role: size for role, size in options.limit_memory_bytes.items() if role != "target"},
    )


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
        _bind_tree(pid, before)


def _bind_tree(pid: int, cpus: Set[int]) -> None:
    root = psutil.Process(pid)
    for process in [root, *root.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            for thread in process.threads():
                os.sched_setaffinity(thread.id, cpus)

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
    """CPUs that roles (target, database, engine) are pinned to, and their limits. Only containers limit all roles."""

    pin: Pins = field(default_factory=dict)
    cpus: Mapping[str, float] = field(default_factory=dict)
    memory_bytes: Mapping[str, int] = field(default_factory=dict)

    @property
    def memory_limit_mib(self) -> str:
        """The target's, for a run's record; empty without a limit."""
        return f"{self.memory_bytes['target'] / 2**20:.12g}" if "target" in self.memory_bytes else ""

    def described(self) -> dict[str, str]:
        """For a run's record."""
        return changed(RunTable(pin=self.pin, limit_cpus=self.cpus, limit_memory_bytes=self.memory_bytes), RunTable)


def isolation_of(options: RunTable) -> Isolation:
    """As the options of a run ask for it."""
    return Isolation(options.pin, options.limit_cpus, options.limit_memory_bytes)


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

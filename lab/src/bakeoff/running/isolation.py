"""Who may use what: CPUs that roles are pinned to, and the limits that a target runs under."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

import psutil

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.results.run import ROLES

_MEMORY_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LEAST_MEMORY_BYTES = 16 << 20


@dataclass(frozen=True)
class Isolation:
    """`pin` maps roles (api, database, engine) to CPUs; the limits are of the target alone. Nothing by default."""

    pin: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    limit_cpus: float | None = None
    limit_memory_bytes: int | None = None

    @property
    def has_limits(self) -> bool:
        return self.limit_cpus is not None or self.limit_memory_bytes is not None

    def described(self) -> dict[str, str]:
        """For a run's record."""
        words = {}
        if self.pin:
            words["pin"] = ",".join(f"{role}={'+'.join(map(str, cpus))}" for role, cpus in self.pin.items())
        if self.limit_cpus is not None:
            words["limit_cpus"] = f"{self.limit_cpus:g}"
        if self.limit_memory_bytes is not None:
            words["limit_memory"] = f"{self.limit_memory_bytes / (1 << 20):g}M"
        return words


def pins_of(text: str, available: Set[int]) -> dict[str, tuple[int, ...]]:
    """CPUs of roles, from text such as `api=0-1,database=2,engine=3` or `api=0+2`."""
    pins: dict[str, tuple[int, ...]] = {}
    for part in text.split(","):
        role, _, cpus = part.strip().partition("=")
        if role not in ROLES or role in pins or not re.fullmatch(r"\d+(-\d+)?(\+\d+(-\d+)?)*", cpus):
            raise UsageError(f'--pin is "{text}": write api=0-1,database=2,engine=3 (and 0+2 for CPUs apart).')
        pins[role] = tuple(sorted({cpu for span in cpus.split("+") for cpu in _span(span)}))
        missing = sorted(set(pins[role]) - available)
        if missing or not pins[role]:
            here = ", ".join(map(str, sorted(available)))
            raise UsageError(f"--pin gives {role} the CPUs {cpus}, but this process may use only {here}.")
    return pins


def memory_of(text: str) -> int:
    """Bytes of a size such as `2G` or `512M`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG])", text.strip().upper())
    size = int(float(match.group(1)) * _MEMORY_UNITS[match.group(2)]) if match else 0
    if size < _LEAST_MEMORY_BYTES:
        raise UsageError(f'--limit-memory is "{text}": write 512M or 2G, and at least 16M.')
    return size


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


def _span(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)

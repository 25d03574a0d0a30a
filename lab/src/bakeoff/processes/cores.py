"""The cores that this process, and with it the programs that it starts, may use."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


def usable_cores(own_groups: Path = _OWN_GROUPS, groups: Path = _GROUPS) -> int:
    """As many as it is bound to, or as the quotas of its control groups come to, rounded up."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min([bound, *_quotas(own_groups, groups)])))


def _quotas(own_groups: Path, groups: Path) -> Iterator[float]:
    """The CPU time that each group around this process may use, in cores; of either layout of control groups."""
    for line in _text(own_groups).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        own = groups / controllers / path.lstrip("/")
        for folder in (own, *own.parents):
            in_one = _text(folder / "cpu.max").split()
            quota, period = in_one or [_text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")]
            # Neither "max" nor -1.
            if folder.is_relative_to(groups) and quota.isdecimal():
                yield int(quota) / int(period)


def _text(file: Path) -> str:
    """Empty where there is no such file."""
    try:
        return file.read_text("utf-8")
    except OSError:
        return ""

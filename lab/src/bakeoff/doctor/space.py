"""Free disk and memory."""

import contextlib
import os
import shutil
from pathlib import Path

import psutil

from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.project import COMMAND

_GB = 1_000_000_000
# A run's WAL grows to 8 GB; a full disk ends it.
_DISK_GB, _LEAST_DISK_GB = 12.0, 3.0
# From here on it is worth cleaning up.
_NOTABLE_GB = 5.0
_MEMORY_GB, _LEAST_MEMORY_GB = 3.0, 1.5


def free_disk(folder: Path, name: str) -> Diagnosis:
    """Space on the file system that a folder lies on, or will lie on."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return judge_disk(shutil.disk_usage(existing).free / _GB, name)


def judge_disk(free_gb: float, name: str) -> Diagnosis:
    """The uses of this many GB."""
    subject, found = f"disk for {name}", f"{free_gb:,.1f} GB free"
    if free_gb >= _DISK_GB:
        return Diagnosis(subject, State.OK, found)
    state = State.WRONG if free_gb < _LEAST_DISK_GB else State.COSTLY
    cost = "long runs with large messages fill it, and a full disk ends a run"
    return Diagnosis(
        subject, state, found, cost, f"{COMMAND} runs cleanup --keep 100 --execute, and old files of results"
    )


def disk_use(results: Path, state: Path) -> Diagnosis:
    """The size of the project's own files, and the command that frees most of it."""
    used_gb = {folder.name: _bytes_below(folder) / _GB for folder in (results, state)}
    found = ", ".join(f"{name}/ {used:,.1f} GB" for name, used in used_gb.items())
    return judge_disk_use(sum(used_gb.values()), found)


def judge_disk_use(used_gb: float, found: str) -> Diagnosis:
    """Much is worth a remedy, but makes no result worse."""
    remedy = "" if used_gb < _NOTABLE_GB else f"{COMMAND} runs cleanup --days 30 --files --execute"
    return Diagnosis("disk use", State.OK, found, remedy=remedy)


def _bytes_below(folder: Path) -> int:
    """Bytes of the files below a folder; those that vanish meanwhile, or that others own, count nothing."""
    total = 0
    for here, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(here) / name).lstat().st_size
    return total


def free_memory() -> Diagnosis:
    """Memory that can be had without swapping."""
    return judge_memory(psutil.virtual_memory().available / _GB)


def judge_memory(free_gb: float) -> Diagnosis:
    """The uses of this many GB."""
    found = f"{free_gb:,.1f} GB available"
    if free_gb >= _MEMORY_GB:
        return Diagnosis("memory", State.OK, found)
    state = State.WRONG if free_gb < _LEAST_MEMORY_GB else State.COSTLY
    cost = "PostgreSQL's 1 GB of buffers and the target compete for it: swapping is measured, not the target"
    return Diagnosis(
        "memory", state, found, cost, "stop other processes that use memory, or measure on a larger machine"
    )

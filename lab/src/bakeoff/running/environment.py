"""Where and with what a run was made: enough to make it again."""

import os
import platform
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bakeoff import __version__
from bakeoff.project import Project
from bakeoff.targets.manifest import Target


def environment_of(project: Project, target: Target, database_version: str | None) -> dict[str, str]:
    """Facts for the run's record; what cannot be told is left out."""
    facts = {
        "bakeoff": __version__,
        "commit": _output(["git", "rev-parse", "HEAD"], project.root),
        "uncommitted_changes": _dirty(project.root),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": str(os.cpu_count() or 0),
        "memory_mib": str(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20),
        "toolchain": _toolchain(target),
        "database": database_version,
    }
    return {name: fact for name, fact in facts.items() if fact}


def machine_name() -> str:
    """What calibrations belong to: a figure of another machine says nothing about this one."""
    return f"{_cpu_model() or platform.machine()} × {os.cpu_count()}, {platform.release()}"


def _toolchain(target: Target) -> str | None:
    command: Sequence[str] = target.document["toolchain"].get("version_command", [])
    return _output(command, target.directory) if command else None


def _dirty(root: Path) -> str | None:
    status = _output(["git", "status", "--porcelain"], root)
    return None if status is None else str(bool(status)).lower()


@cache
def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)


def _output(command: Sequence[str], directory: Path) -> str | None:
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None

"""Where and with what a run was made: enough to make it again."""

import os
import platform
import subprocess
from functools import cache
from pathlib import Path

from bakeoff import __version__
from bakeoff.builds.toolchain import build_flags
from bakeoff.git import git
from bakeoff.postgres.server import Server
from bakeoff.processes.cores import usable_cores
from bakeoff.processes.launching import PROCESSES, Launcher
from bakeoff.results.stack import STACK, in_words
from bakeoff.targets.manifest import Target

# Settings that decide whether an acknowledged write is durable, and how much memory the database may use.
_DATABASE_SETTINGS = ("fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size")


def environment_of(target: Target, server: Server | None, launcher: Launcher = PROCESSES) -> dict[str, str]:
    """Facts for the run's record; unknown ones are left out. Asked for once, as they do not change meanwhile."""
    commit, uncommitted_changes = _commit(target.project.root)
    facts = {
        "bakeoff": __version__,
        "commit": commit,
        "uncommitted_changes": uncommitted_changes,
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _cpu_model(),
        "cores": str(launcher.cores),
        "memory_mib": str(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20),
        "toolchain": target.build.toolchain,
        "build_flags": ", ".join(f"{name}={value}" for name, value in build_flags().items()),
        "title": target.manifest.title,
        STACK: in_words(target.manifest.stack),
        "database": None if server is None else _database(server),
        "database_settings": None if server is None else _database_settings(server),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    }
    return {name: fact for name, fact in facts.items() if fact}


def server_in_words(server: Server) -> str:
    """Its version and the settings that decide what a commit costs: lines of another server say nothing of this one."""
    return f"{_database(server)}, {_database_settings(server)}"


def machine_name() -> str:
    """The name under which calibrations are stored: those of another machine do not apply here."""
    return f"{_cpu_model() or platform.machine()} × {usable_cores()}, {platform.release()}"


@cache
def _commit(root: Path) -> tuple[str | None, str | None]:
    """The commit of a checkout, and whether it has other changes."""
    status = _git(root, "status", "--porcelain")
    return _git(root, "rev-parse", "HEAD"), None if status is None else str(bool(status)).lower()


@cache
def _database(server: Server) -> str:
    return f"PostgreSQL {server.version()}"


@cache
def _database_settings(server: Server) -> str:
    with server.connect() as connection:
        shown = [(name, connection.execute(f"SHOW {name}".encode()).fetchone()) for name in _DATABASE_SETTINGS]
    return ", ".join(f"{name} = {row[0]}" for name, row in shown if row is not None)


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text("utf-8").strip()
    except OSError:
        return None


@cache
def _cpu_model() -> str | None:
    if (text := _read("/proc/cpuinfo")) is None:
        return platform.processor() or None
    return next((line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")), None)


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = git(folder, *arguments, timeout_s=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None

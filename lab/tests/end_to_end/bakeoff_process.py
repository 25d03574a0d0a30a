"""Runs ./bakeoff as a person does, with databases and a results folder of the test's own."""

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from bakeoff.project import PROJECT_VARIABLE, Project, own_checkout

OWN_VARIABLES = ("DATABASE_URL", "METRICS_DATABASE_URL", "DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")
"""Variables that name servers of the user's own."""


def environment_of(results: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without what names servers, and with `extra`."""
    inherited = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
    return {**inherited, "BAKEOFF_RESULTS": str(results), "COLUMNS": "140", **extra}


def bakeoff(
    project: Project, *arguments: str, results: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, from a folder that is not the checkout."""
    return subprocess.run(
        [str(own_checkout().root / "bakeoff"), *arguments],
        cwd=results.parent,
        env=environment_of(results, {PROJECT_VARIABLE: str(project.root), **(environment or {})}),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def bakeoff_started(
    project: Project, *arguments: str, results: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Starts a command whose output is read while it works."""
    return subprocess.Popen(
        [str(own_checkout().root / "bakeoff"), *arguments],
        cwd=results.parent,
        env=environment_of(results, {PROJECT_VARIABLE: str(project.root), **(environment or {})}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def interrupt(process: subprocess.Popen[str]) -> None:
    """Ctrl-C: SIGINT to the foreground process group."""
    os.killpg(process.pid, signal.SIGINT)

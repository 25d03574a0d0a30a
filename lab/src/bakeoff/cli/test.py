"""`bakeoff test`: runs the checks that .ci/checks.toml declares and shows each runner's closing lines."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import typer
from rich.console import Console

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import find_installation
from bakeoff.project import Project, find_project
from bakeoff.running.lock import only_lab

_CLOSING_LINES = 6


@dataclass(frozen=True)
class Check:
    """One command that must end with status 0; `fast` are the arguments that leave out its slow part."""

    name: str
    directory: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    fast: tuple[str, ...] = ()
    database: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a check ended: passed, failed, or skipped with a reason."""

    check: Check
    status: str
    seconds: float = 0.0
    reason: str = ""


def run_checks(*, fast: bool, only: Sequence[str]) -> None:
    """Runs the checks one after another, all of them even when one fails. Exit status 0 when none failed."""
    project, console = find_project(), Console()
    checks = _chosen(load_checks(project), only)
    with only_lab(project.state / "test-lock"), _test_database(project, checks) as url:
        outcomes = [_run(project, check, url, fast, console) for check in checks]
    console.print()
    for outcome in outcomes:
        reason = f"  {outcome.reason}" if outcome.reason else ""
        console.print(
            f"{outcome.status:8}{outcome.check.name:28}{outcome.seconds:6.1f} s{reason}", markup=False, highlight=False
        )
    counted = {
        status: sum(outcome.status == status for outcome in outcomes) for status in ("passed", "failed", "skipped")
    }
    console.print(
        f"checks: {counted['passed']} passed, {counted['failed']} failed, {counted['skipped']} skipped",
        highlight=False,
    )
    if counted["failed"]:
        raise typer.Exit(1)


def load_checks(project: Project) -> list[Check]:
    """All checks, in the order in which they run."""
    document = tomllib.loads((project.root / ".ci" / "checks.toml").read_text("utf-8"))
    return [_check(entry) for entry in document["checks"]]


def _check(entry: dict[str, Any]) -> Check:
    lists = {name: tuple(entry.get(name, ())) for name in ("command", "needs", "fast")}
    return Check(**{**entry, **lists})


def _chosen(checks: Sequence[Check], only: Sequence[str]) -> list[Check]:
    names = [check.name for check in checks]
    unknown = [name for name in only if name not in names]
    if unknown:
        raise UsageError(f'There is no check "{unknown[0]}". Checks: {", ".join(names)}.')
    return [check for check in checks if not only or check.name in only]


@contextlib.contextmanager
def _test_database(project: Project, checks: Sequence[Check]) -> Iterator[str | None]:
    """A PostgreSQL of the tests' own, where a check asks for one."""
    if not any(check.database for check in checks):
        yield None
        return
    kind = embedded.InstanceKind("test", "test", ("shared_buffers=128MB", "wal_buffers=4MB", "max_wal_size=1GB"))
    with embedded.running(find_installation(project), kind, project.logs) as server:
        yield server.url


def _run(project: Project, check: Check, database_url: str | None, fast: bool, console: Console) -> Outcome:
    missing = [program for program in check.needs if shutil.which(program) is None]
    if missing:
        reason = f"{', '.join(missing)} not found"
        console.print(f"--- {check.name}: skipped, {reason}", highlight=False)
        return Outcome(check, "skipped", reason=reason)
    console.print(f"--- {check.name}", highlight=False)
    environment = dict(os.environ)
    # Tests must not reach for a server of the user's own.
    for name in ("DATABASE_URL", "METRICS_DATABASE_URL", "DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD"):
        environment.pop(name, None)
    if database_url is not None:
        environment["TEST_DATABASE_URL"] = database_url
    programs = str(project.state / "venv" / "bin")
    environment["PATH"] = f"{programs}{os.pathsep}{environment.get('PATH', '')}"
    command = [part.replace("{python}", sys.executable) for part in check.command]
    if fast:
        command += check.fast
    log = project.logs / f"check-{check.name.replace(' ', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    try:
        with log.open("wb") as file:
            status = subprocess.run(
                command, cwd=project.root / check.directory, env=environment, stdout=file, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, check=False,
            ).returncode  # fmt: skip
    except OSError as error:
        raise BakeoffError(f"{check.name}: {command[0]}: {error.strerror}.") from error
    seconds = time.monotonic() - began
    lines = log.read_text("utf-8", "replace").splitlines()
    shown = lines[-_CLOSING_LINES:] if status == 0 else lines[-80:]
    for line in shown:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if status == 0:
        return Outcome(check, "passed", seconds)
    return Outcome(check, "failed", seconds, reason=f"all of its output: {project.relative(log)}")

"""The checks of `bakeoff test`: what .ci/checks.toml declares, and how one is run."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.git import git
from bakeoff.project import Project, path_here

# Tests must not use a server of the user's own.
_SERVER_VARIABLES = ("DATABASE_URL", "METRICS_DATABASE_URL", "DB_HOST", "DB_PORT", "DB_NAME", "DB_USER", "DB_PASSWORD")


@dataclass(frozen=True)
class ProjectCheck:
    """One command that must end with status 0.

    `needs` are the programs without which it is skipped; `inputs` the paths that can change its outcome;
    `usual` are arguments that leave out its exhaustive part; `slow` means that --fast leaves it out; `after` names the
    checks that must have ended before it starts. `part` is that of the clone which it checks; one that checks both runs
    the tests of a part with the arguments in `parts`. {targets} in its command is `targets`, a pattern.
    """

    name: str
    directory: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    database: bool = False
    slow: bool = False
    after: tuple[str, ...] = ()
    part: str = "tool"
    targets: str = "*"
    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of_part(self, part: str, target: str = "") -> "ProjectCheck | None":
        """The check of one part; None where it checks the other part alone.

        With a `target`, of tests of both parts those of it, which only slow ones start.
        """
        if self.parts:
            if target and not self.slow:
                return None
            chosen = ("-k", target) if target else ()
            return replace(self, usual=(*self.usual, *self.parts[part], *chosen))
        if self.part != part:
            return None
        return replace(self, targets=f"*{target}*") if target else self


@dataclass(frozen=True)
class CheckOutcome:
    """How a check ended: passed, failed, or skipped with a reason; `lines` are what to show of its output.

    `cpu_s` is its CPU time with that of its children. `waited_s` counts from the start of the tests to its own start,
    and `waited_for` names what kept it from starting.
    """

    check: ProjectCheck
    status: str
    seconds: float = 0.0
    cpu_s: float = 0.0
    waited_s: float = 0.0
    waited_for: str = ""
    reason: str = ""
    lines: tuple[str, ...] = ()


# Toolchains whose lack is no reason to skip a test, separated by commas.
REQUIRED_VARIABLE = "BAKEOFF_REQUIRED"

CLOSING_LINES = 6
_LINES_OF_A_FAILURE = 80


@dataclass(frozen=True)
class _File:
    toolchains: Mapping[str, Sequence[str]]
    checks: Sequence[ProjectCheck]
    every_check: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def _file(project: Project) -> _File:
    return msgspec.toml.decode((project.root / ".ci" / "checks.toml").read_bytes(), type=_File)


def load_checks(project: Project) -> Sequence[ProjectCheck]:
    """All checks, in the order in which they start."""
    return _file(project).checks


def chosen(checks: Sequence[ProjectCheck], only: Sequence[str]) -> list[ProjectCheck]:
    """The checks of these names, or all."""
    names = [check.name for check in checks]
    unknown = [name for name in only if name not in names]
    if unknown:
        raise UsageError(f'There is no check "{unknown[0]}". Checks: {", ".join(names)}.')
    return [check for check in checks if not only or check.name in only]


def of_part(checks: Sequence[ProjectCheck], part: str, target: str = "") -> list[ProjectCheck]:
    """The checks of one part of the clone, `tool` or `gallery`; with `target` those that can concern a target."""
    return [own for check in checks if (own := check.of_part(part, target)) is not None]


def affected(project: Project, checks: Sequence[ProjectCheck], since: str) -> list[ProjectCheck]:
    """The checks whose inputs differ from a commit, in the index, the work tree or by new files."""
    changed = _git(project, "diff", "--name-only", since, "--") + _git(
        project, "ls-files", "--others", "--exclude-standard"
    )
    everything = any(_lies_in(path, _file(project).every_check) for path in changed)
    return [check for check in checks if everything or any(_lies_in(path, check.inputs) for path in changed)]


def _git(project: Project, *arguments: str) -> list[str]:
    try:
        found = git(project.root, *arguments)
    except OSError as error:
        raise BakeoffError(f"--changed needs git: {error.strerror}.") from error
    if found.returncode != 0:
        raise UsageError(f"--changed: {found.stderr.strip()}. Name a commit, branch or tag, such as main.")
    return found.stdout.splitlines()


def _lies_in(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def check_toolchains(project: Project, required: Sequence[str]) -> None:
    """Raises for a required toolchain that is missing: its checks would only be skipped."""
    known = _file(project).toolchains
    for name in required:
        if name not in known:
            raise UsageError(f'There is no toolchain "{name}". Toolchains: {", ".join(known)}.')
        missing = [program for program in known[name] if shutil.which(program) is None]
        if missing:
            raise BakeoffError(f"--require {name}: {', '.join(missing)} not found on PATH. Install it first.")


def run(
    project: Project,
    check: ProjectCheck,
    database_url: str | None,
    *,
    exhaustive: bool = False,
    required: Sequence[str] = (),
) -> CheckOutcome:
    """Runs a check to its end; its output goes to a log. What is `required` may not be a reason to skip a test."""
    missing = [program for program in check.needs if shutil.which(program) is None]
    if missing:
        return CheckOutcome(check, "skipped", reason=f"{', '.join(missing)} not found")
    usual = () if exhaustive else check.usual
    values = {"{python}": sys.executable, "{targets}": check.targets}
    command = [values.get(part, part) for part in (*check.command, *usual)]
    log = project.logs / f"check-{check.name.replace(' ', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = _environment(project, database_url, required)
    began = time.monotonic()
    try:
        with log.open("wb") as file:
            process = subprocess.Popen(
                command, cwd=project.root / check.directory, env=environment, stdout=file,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    except OSError as error:
        raise BakeoffError(f"{check.name}: {command[0]}: {error.strerror}.") from error
    seconds, cpu_s = time.monotonic() - began, usage.ru_utime + usage.ru_stime
    lines = log.read_text("utf-8", "replace").splitlines()
    if process.returncode == 0:
        return CheckOutcome(check, "passed", seconds, cpu_s, lines=tuple(lines[-CLOSING_LINES:]))
    reason = f"all of its output: {path_here(log)}"
    return CheckOutcome(check, "failed", seconds, cpu_s, reason=reason, lines=tuple(lines[-_LINES_OF_A_FAILURE:]))


def _environment(project: Project, database_url: str | None, required: Sequence[str]) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in _SERVER_VARIABLES}
    environment |= _file(project).environment
    environment[REQUIRED_VARIABLE] = ",".join(required)
    if database_url is not None:
        environment["TEST_DATABASE_URL"] = database_url
    programs = str(project.state / "venv" / "bin")
    environment["PATH"] = f"{programs}{os.pathsep}{environment.get('PATH', '')}"
    return environment

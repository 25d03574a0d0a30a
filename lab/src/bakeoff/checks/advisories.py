"""Known vulnerabilities of the packages that the project is made of, by the tool of each language."""

import re
import shutil
import subprocess
from collections.abc import Sequence

import msgspec

from bakeoff.project import Project

_TIMEOUT_S = 300


class PackageAudit(msgspec.Struct, frozen=True):
    """A tool that audits the packages of one folder. Its output matches `found` when it knows a vulnerability."""

    name: str
    directory: str
    command: Sequence[str]
    found: str
    needs: Sequence[str] = ()


class _File(msgspec.Struct, frozen=True):
    audits: Sequence[PackageAudit]


class AuditOutcome(msgspec.Struct, frozen=True):
    """passed, failed or skipped; `words` are the findings, or why it was skipped."""

    status: str
    words: str = ""


def load_audits(checkout: Project) -> Sequence[PackageAudit]:
    return msgspec.toml.decode((checkout.root / ".ci" / "advisories.toml").read_bytes(), type=_File).audits


def outcome_of(checkout: Project, audit: PackageAudit, uv: str) -> AuditOutcome:
    """Runs one audit. A tool that is missing, or cannot reach its database, skips it."""
    missing = [program for program in audit.needs if shutil.which(program) is None]
    if missing:
        return AuditOutcome("skipped", f"{', '.join(missing)} is not on PATH")
    try:
        done = subprocess.run(
            [part.replace("{uv}", uv) for part in audit.command],
            cwd=checkout.root / audit.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return AuditOutcome("skipped", f"no answer in {_TIMEOUT_S} s")
    if done.returncode == 0:
        return AuditOutcome("passed")
    if re.search(audit.found, done.stdout):
        return AuditOutcome("failed", done.stdout.strip())
    return AuditOutcome("skipped", _reason(done.stdout))


def _reason(output: str) -> str:
    """The first line that names an error, or the last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = (line for line in lines if re.search(r"(?i)error|fetching|not found", line))
    return next(named, (lines or ["no output"])[-1])

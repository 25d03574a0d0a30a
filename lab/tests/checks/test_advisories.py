"""What the audits of a release come to: findings, and tools that cannot work here."""

import pytest

from bakeoff.checks.advisories import AuditOutcome, PackageAudit, load_audits, outcome_of
from bakeoff.project import Project


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("true", AuditOutcome("passed")),
        ("echo 2 vulnerabilities found; exit 1", AuditOutcome("failed", "2 vulnerabilities found")),
        (
            "echo starting; echo error: no such host >&2; echo bye; exit 1",
            AuditOutcome("skipped", "error: no such host"),
        ),
        ("echo bye; exit 3", AuditOutcome("skipped", "bye")),
        ("exit 3", AuditOutcome("skipped", "no output")),
    ],
)
def test_only_findings_fail(clone: Project, script: str, outcome: AuditOutcome) -> None:
    audit = PackageAudit("a", "lab", ["sh", "-c", script], r"\d+ vulnerabilit")
    assert outcome_of(clone, audit, "uv") == outcome


def test_a_missing_tool_is_skipped_by_name(clone: Project) -> None:
    audit = PackageAudit("a", "lab", ["true"], "x", needs=["no-such-tool"])
    assert outcome_of(clone, audit, "uv") == AuditOutcome("skipped", "no-such-tool is not on PATH")


def test_every_lock_file_of_the_clone_is_audited(clone: Project, gallery: Project) -> None:
    folders = {audit.directory for audit in load_audits(clone)}
    assert all((clone.root / folder).is_dir() for folder in folders)
    assert {"lab", "load/native", "gallery/targets"} <= folders
